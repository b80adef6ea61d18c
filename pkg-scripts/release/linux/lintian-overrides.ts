/** What lintian finds and is so on purpose: its tag, and why. */
export const lintianOverrides: readonly (readonly [tag: string, reason: string])[] = [
  ['dir-or-file-in-opt', 'clients name one path on every system, whatever the package is'],
  ['embedded-library', 'the runtime brings its own libraries; the bill of materials lists them'],
  ['hardening-no-pie', 'the runtime is built so'],
]
