import type { Environment } from '../../runtime/run-process.ts'

/** The PATH of programs that a desktop starts (observed in clients). */
export const barePath = '/usr/bin:/bin:/usr/sbin:/sbin'

/**
 * The variables that launchd, a systemd user session and Explorer give to the programs that they start (observed), without those of login
 * shells, terminals and people.
 */
const desktopVariables = new Set([
  ...[
    'HOME',
    'PATH',
    'USER',
    'LOGNAME',
    'SHELL',
    'LANG',
    'LANGUAGE',
    'TMPDIR',
    'SSH_AUTH_SOCK',
    '__CF_USER_TEXT_ENCODING',
  ],
  ...[
    'XDG_RUNTIME_DIR',
    'XDG_SESSION_ID',
    'XDG_SESSION_TYPE',
    'XDG_CURRENT_DESKTOP',
    'XDG_DATA_DIRS',
    'XDG_CONFIG_DIRS',
  ],
  ...['DBUS_SESSION_BUS_ADDRESS', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'OS', 'PROGRAMDATA', 'PROGRAMFILES'],
  ...['PROGRAMFILES(X86)', 'PROGRAMW6432', 'ALLUSERSPROFILE', 'PUBLIC', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
  ...[
    'HOMEDRIVE',
    'HOMEPATH',
    'USERNAME',
    'USERDOMAIN',
    'COMPUTERNAME',
    'NUMBER_OF_PROCESSORS',
    'PROCESSOR_ARCHITECTURE',
  ],
])

/**
 * The variables that a terminal, the shell in it or an SSH session sets for itself. No administrator sets them for all programs, so a
 * client that a desktop started never has them.
 */
const terminalVariables = new Set([
  ...['TERM', 'TERM_PROGRAM', 'TERM_PROGRAM_VERSION', 'TERM_SESSION_ID', 'COLORTERM', 'COLUMNS', 'LINES', 'WINDOWID'],
  ...['SHLVL', 'PS1', 'PWD', 'OLDPWD', 'GPG_TTY', 'TMUX', 'TMUX_PANE', 'STY'],
  ...['VTE_VERSION', 'ITERM_SESSION_ID', 'SSH_TTY', 'SSH_CLIENT', 'SSH_CONNECTION'],
])

/** Returns whether only a terminal sets this variable. */
export function isTerminalVariable(name: string): boolean {
  return terminalVariables.has(name)
}

/**
 * Selects the variables that a program has if a desktop starts it.
 * @param kept Variables that an administrator sets for all programs.
 */
export function toDesktopEnvironment(env: Environment, kept: readonly string[] = []): Environment {
  const names = new Set(listShellVariables(env, kept))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)))
}

/** Lists the variables that a program lacks if a desktop starts it. */
export function listShellVariables(env: Environment, kept: readonly string[] = []): string[] {
  const names = Object.keys(env).filter((name) => env[name] !== undefined)
  return names.filter((name) => !desktopVariables.has(name.toUpperCase()) && !kept.includes(name))
}
