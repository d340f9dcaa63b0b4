#pragma once
#include <ares.h>
#include <netdb.h>
