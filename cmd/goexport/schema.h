/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of the semantic conventions that names and values follow: said by everything
 * that sends or writes OTLP.
 */
#ifndef GOEXPORT_SCHEMA_H
#define GOEXPORT_SCHEMA_H

#define SCHEMA_URL "https://opentelemetry.io/schemas/1.44.0"

#endif
