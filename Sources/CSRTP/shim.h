#pragma once

#include <srtp2/srtp.h>

#include <srtp2/cipher.h>
