/**
 * What compiled code is for. V8 itself asks for its version and its flags only; what it made on another processor or
 * system it would take, and nobody promises that it means the same there.
 */
export function detectRuntime(): string {
  return `${process.version} ${process.platform} ${process.arch}`
}
