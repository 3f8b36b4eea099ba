/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Little-endian numbers at any alignment, as they stand in the files that gotap
 * reads. The caller has checked that the bytes are there. Nothing here fails.
 */
#ifndef GOTAP_LE_H
#define GOTAP_LE_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t le16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

#endif
