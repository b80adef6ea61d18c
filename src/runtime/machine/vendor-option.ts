/** What `gatepass` is asked to do, and the vendor file that is named before it. */
export interface VendorOption {
  readonly path?: string
  readonly rest: readonly string[]
}

/** Reads `--vendor FILE` in front of a command: it decides names that the rest of the command line is read with. */
export function parseVendorOption(argv: readonly string[]): VendorOption {
  const [first = '', second, ...others] = argv
  const option = '--vendor'
  if (first === option && second !== undefined) return { path: second, rest: others }
  if (first.startsWith(`${option}=`)) return { path: first.slice(option.length + 1), rest: argv.slice(1) }
  return { rest: argv }
}
