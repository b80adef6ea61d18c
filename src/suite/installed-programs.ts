/** The name of the executable that contains every helper. */
export const suiteName = 'gatepass-helpers'

/** The directories in which packages and installers place the programs. */
export const installDirectories = { posix: '/opt/gatepass', windows: String.raw`C:\Program Files\Gatepass` } as const

/** Returns the full path of an installed helper. */
export function locateInstalled(helper: string, style: keyof typeof installDirectories): string {
  const { posix, windows } = installDirectories
  return style === 'posix' ? `${posix}/${helper}` : `${windows}\\${helper}.exe`
}
