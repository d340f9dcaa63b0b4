#pragma once
#include <features.h>
#include <idn2.h>
