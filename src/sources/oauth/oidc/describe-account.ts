import type { Secret } from '../../../runtime/secret.ts'
import { escapeControls } from '../../../runtime/text/escape.ts'
import { parseClaims } from '../../../runtime/tokens/jwt.ts'

/**
 * Describes who has signed in: by the name and the e-mail address of an ID token that was verified when it was issued, as far as it has
 * them (OpenID Connect Core, section 5.1), otherwise by its `sub`. An address that the provider has not verified may be anybody's, and
 * is not shown.
 * @param subject The `sub`, if no ID token is stored.
 * @returns `undefined` if neither is known.
 */
export function describeAccount(idToken: Secret | undefined, subject?: string): string | undefined {
  const claims = parseClaims(idToken)
  if (!claims) return toPlainText(subject)
  // Some providers write the boolean as a text.
  const email = String(claims.email_verified) === 'false' ? undefined : toPlainText(claims.email)
  const address = email ?? toPlainText(claims.preferred_username) ?? toPlainText(claims.upn)
  const name = toPlainText(claims.name)
  if (name === undefined || name === address) return address ?? toPlainText(claims.sub)
  return address === undefined ? name : `${name} (${address})`
}

/** In code points; a longer name is cut off. Our decision. */
const longestName = 80

/** Letters that are invisible but are not format characters. A name of such letters would look empty. */
const blanks = /[\u115f\u1160\u2800\u3164\uffa0]/g

/**
 * Renders a text that a person chose for their account, on one line and bounded. Control characters and characters that change the
 * direction of writing are escaped. At most three marks over one letter are kept, because more would cover the lines above. `undefined` if
 * nothing would be visible.
 */
function toPlainText(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined
  const line = claim
    .slice(0, 4 * longestName)
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(blanks, ' ')
  const letters = [...line.replace(/(\p{M}{3})\p{M}+/gu, '$1').trim()]
  const cut = letters.length > longestName ? `${letters.slice(0, longestName).join('').trim()}…` : letters.join('')
  return cut === '' ? undefined : escapeControls(cut)
}
