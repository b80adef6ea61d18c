/**
 * The runtime that compiled code is for. V8 itself compares only its version and its flags: it would also accept code from another
 * processor or system, although nothing promises that the code means the same there.
 */
export function nameRuntime(): string {
  return `${process.version} ${process.platform} ${process.arch}`
}
