import type { Environment } from '../../runtime/run-process.ts'

/** Returns whether a browser, or the process that opens it, needs a variable. */
export function isNeededByBrowser(name: string): boolean {
  return needed.some((pattern) => pattern.test(name.toUpperCase()))
}

/** Variables of the network, the home directory, and the person's desktop. */
const needed = [
  /^(HOME|USER|LOGNAME|SHELL|PATH|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP)$/,
  /^LC_/,
  /^(HTTPS?|ALL|NO)_PROXY$/,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/,
  // For the lookup of host names (resolver(3), hostname(7)).
  /^(LOCALDOMAIN|RES_OPTIONS|HOSTALIASES)$/,
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|DESKTOP_SESSION|BROWSER)$/,
  /^(XDG|KDE|GNOME|GDK|GTK|QT|MOZ)_/,
  /^(SSH_CONNECTION|SSH_CLIENT|SSH_TTY|VSCODE_IPC_HOOK_CLI|WSLENV|WSL_INTEROP|WSL_DISTRO_NAME)$/,
  /^(SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|PROGRAMW6432)$/,
  /^(USERPROFILE|USERNAME|USERDOMAIN|HOMEDRIVE|HOMEPATH|SESSIONNAME|COMPUTERNAME|ALLUSERSPROFILE|PUBLIC)$/,
  /^__CF/,
  // The mark by which a check of helpers finds what a run has started.
  /^HELPER_CHECK_RUN$/,
]

/** Creates the environment of a browser. Keys and other variables of the client or the person's shell are left out. */
export function toBrowserEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isNeededByBrowser(name)))
}
