/** Paths of the libraries of macOS. */
export interface MacosLibraries {
  readonly coreFoundation: string
  readonly security: string
  readonly system: string
}

/** Where every macOS has them; most are in no file of their own, and are found by this path all the same. */
export const macosLibraries: MacosLibraries = {
  coreFoundation: '/System/Library/Frameworks/CoreFoundation.framework/CoreFoundation',
  security: '/System/Library/Frameworks/Security.framework/Security',
  system: '/usr/lib/libSystem.B.dylib',
}
