import { isAbsolute, join } from 'node:path'
import type { Host } from '../host.ts'

/** The user's directory of cached tokens, where the platform keeps files that can be created again. */
export function locateCacheDirectory({ env, home, platform }: Pick<Host, 'env' | 'home' | 'platform'>): string {
  switch (platform) {
    case 'win32':
      return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'Gatepass', 'Cache')
    case 'darwin':
      return join(home, 'Library', 'Caches', 'Gatepass')
    default:
      // A relative path is ignored (XDG Base Directory Specification).
      return join(isAbsolute(env.XDG_CACHE_HOME ?? '') ? env.XDG_CACHE_HOME! : join(home, '.cache'), 'gatepass')
  }
}
