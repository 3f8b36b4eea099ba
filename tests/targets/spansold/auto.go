// SPDX-License-Identifier: Apache-2.0

// Spansold is the server spans with libraries of early 2024. These have no such SDK.
package main

func installAuto() {}
