/** Findings of lintian that are on purpose: the tag of each, and why. */
export const lintianOverrides: readonly (readonly [tag: string, reason: string])[] = [
  ['dir-or-file-in-opt', 'clients name one path on every system, whatever the package is'],
  ['embedded-library', 'the runtime brings its own libraries; the bill of materials lists them'],
  ['copyright-file-contains-full-apache-2-license', 'libraries ask for their own text of it'],
  ['copyright-not-using-common-license-for-apache2', 'the same'],
  ['copyright-not-using-common-license-for-gpl', "the runtime's notice quotes it"],
  ['old-fsf-address-in-copyright-file', 'the same'],
  ['hardening-no-pie', 'the runtime is built so'],
  ['maintainer-script-calls-systemctl', 'one script serves every system, and RPM runs it too'],
]
