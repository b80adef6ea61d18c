import type { Environment } from '../../../runtime/environment.ts'
import { vendor } from '../../../vendor.ts'

/** The steps of a process that signs in: the first starts the second and ends, so that the second is nobody's child. */
export type DetachedStep = 'start' | 'hold'

const stepVariable = 'GATEPASS_SIGN_IN_STEP'

/** Which step this process is; `undefined` for a person's own command. */
export function detectStep(env: Environment): DetachedStep | undefined {
  const step = env[stepVariable]
  return step === 'start' || step === 'hold' ? step : undefined
}

/** When a run found the stored sign-in refused, so that only a later one counts, in milliseconds since the epoch. */
const afterVariable = 'GATEPASS_SIGN_IN_AFTER'

/** See {@link afterVariable}; `undefined` where any sign-in counts. */
export function parseAfter(env: Environment): number | undefined {
  const after = Number(env[afterVariable])
  return after > 0 ? after : undefined
}

/** Variables that a sign-in needs: options of ours and of AWS, the network, the home directory, and the person's desktop. */
const needed = [
  /^GATEPASS_/,
  /^AWS_/,
  /^(HOME|USER|LOGNAME|SHELL|PATH|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP)$/,
  /^LC_/,
  /^(HTTPS?|ALL|NO)_PROXY$/,
  /^(NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR)$/,
  /^(DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS|DESKTOP_SESSION|BROWSER)$/,
  /^(XDG|KDE|GNOME|GDK|GTK|QT|MOZ)_/,
  /^(SSH_CONNECTION|SSH_CLIENT|SSH_TTY|VSCODE_IPC_HOOK_CLI|WSLENV|WSL_INTEROP|WSL_DISTRO_NAME)$/,
  /^(SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES.*|PROGRAMW6432)$/,
  /^(USERPROFILE|USERNAME|USERDOMAIN|HOMEDRIVE|HOMEPATH|SESSIONNAME|COMPUTERNAME|ALLUSERSPROFILE|PUBLIC)$/,
  /^__CF/,
  // The mark by which a check of helpers finds what a run has started.
  /^HELPER_CHECK_RUN$/,
]

/**
 * The environment of the process that signs in. Keys and whatever else the client has in its environment stay behind, because
 * the process outlives the client.
 */
export function toDetachedEnvironment(env: Environment, step: DetachedStep, after = parseAfter(env)): Environment {
  const kept = Object.entries(env).filter(
    ([name]) => needed.some((pattern) => pattern.test(name.toUpperCase())) && !isSecret(name),
  )
  return {
    ...Object.fromEntries(kept),
    [vendor.contextVariable]: 'interactive',
    [stepVariable]: step,
    [afterVariable]: after === undefined ? undefined : String(after),
  }
}

/** Keys and tokens of AWS: whoever is signed in by a person needs none. */
function isSecret(name: string): boolean {
  return /^AWS_.*(SECRET|TOKEN)/i.test(name) && !/_FILE$/i.test(name)
}
