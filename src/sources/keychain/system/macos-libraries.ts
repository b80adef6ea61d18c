/** Paths of the libraries of macOS. */
export interface MacosLibraries {
  readonly coreFoundation: string
  readonly security: string
  readonly system: string
}

/** The paths on every macOS. Most of these libraries are not separate files, but are found by this path anyway. */
export const macosLibraries: MacosLibraries = {
  coreFoundation: '/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation',
  security: '/System/Library/Frameworks/Security.framework/Security',
  system: '/usr/lib/libSystem.B.dylib',
}
