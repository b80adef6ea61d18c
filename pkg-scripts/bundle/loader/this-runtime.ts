/**
 * Names the runtime for compiled code. V8 itself compares only its version and flags: it would also accept code from another processor or
 * system, without any guarantee that the code is valid there.
 */
export function nameRuntime(): string {
  return `${process.version} ${process.platform} ${process.arch}`
}
