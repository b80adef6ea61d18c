import type { Environment } from '../../../runtime/environment.ts'

/** What decides whether a browser can be opened where this process runs. */
export interface BrowserFacts {
  readonly platform: NodeJS.Platform
  readonly env: Environment
  /** What Linux says of itself in `/proc/version`; empty elsewhere. */
  readonly kernel: string
  /** Whether the session has a screen, as Windows and macOS tell; `unknown` where they do not. */
  readonly session: 'graphic' | 'none' | 'unknown'
}

/** Whether a browser can be opened, or why not. */
export type BrowserPlace = 'here' | 'remote shell' | 'no graphic session' | 'no display'

/** Whether a browser that is opened here is one that the person sees. */
export function detectBrowserPlace({ platform, env, kernel, session }: BrowserFacts): BrowserPlace {
  // A remote window of VS Code: its BROWSER opens on the person's own machine.
  if (env.VSCODE_IPC_HOOK_CLI && env.BROWSER) return 'here'
  if (env.SSH_CONNECTION || env.SSH_CLIENT || env.SSH_TTY) return 'remote shell'
  if (platform === 'win32' || platform === 'darwin') return session === 'none' ? 'no graphic session' : 'here'
  if (env.BROWSER || env.DISPLAY || env.WAYLAND_DISPLAY || isWsl(env, kernel)) return 'here'
  return 'no display'
}

/** The Windows Subsystem for Linux, where the browser is that of Windows. */
export function isWsl(env: Environment, kernel: string): boolean {
  return Boolean(env.WSL_INTEROP) || /microsoft/i.test(kernel)
}
