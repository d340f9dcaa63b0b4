#pragma once
#include <features.h>
#include <libpsl.h>
