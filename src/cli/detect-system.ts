import type { OperatingSystem } from '../config/check/rule.ts'

/** The operating system whose rules hold on this machine; anything that is neither of the other two is taken for Linux. */
export function detectSystem(platform: NodeJS.Platform): OperatingSystem {
  if (platform === 'win32') return 'windows'
  return platform === 'darwin' ? 'macos' : 'linux'
}
