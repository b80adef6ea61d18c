import type { Observation } from '../../helper/diagnosis.ts'
import { describeMoment } from '../describe-moment.ts'
import { describeProvider } from '../oauth/oidc/describe-provider.ts'
import type { StoredSignIn } from '../oauth/store/sign-in-store.ts'
import { toTokenFacts } from './facts.ts'
import type { OidcTokenPlan } from './plan.ts'
import { describeRemedy } from './remedy.ts'
import type { OidcTokenOptions } from './settings/options.ts'

/** What a description is made from besides the sign-in. */
interface DescribedPlan {
  readonly plan: OidcTokenPlan
  readonly options: OidcTokenOptions
  readonly program: string
  /** Where the key of the sealed file is. */
  readonly keyPlace: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Who is signed in since when, where that is kept, and how long it lasts. */
export function describeSignIn(signIn: StoredSignIn | undefined, described: DescribedPlan): Observation[] {
  const { plan, program, now, keyPlace } = described
  const { settings, files } = plan
  const hint = `sign in: ${program} sign-in, with the options of this run`
  if (!signIn) return [{ status: 'bad', text: `nobody is signed in to ${describeProvider(settings)}`, hint }]
  const { email, subject } = toTokenFacts(signIn, settings, undefined)
  const who = email ?? subject ?? 'a person'
  return [
    {
      status: 'good',
      text: `${who} is signed in since ${describeMoment(signIn.since, now)}`,
      details: [`kept in ${files.sealed}, encrypted`, `its key is in ${keyPlace}`],
    },
    describeLife(signIn, { ...described, hint }),
  ]
}

/** When the token that the gateway gets ends, and whether it is renewed then. */
function describeLife(
  { tokens }: StoredSignIn,
  { plan: { settings }, options, now, hint }: DescribedPlan & { readonly hint: string },
): Observation {
  const name = settings.bearerTokenType === 'id_token' ? 'the ID token' : 'the access token'
  const endsAt = tokens.expiresAt?.getTime()
  const isOver = endsAt !== undefined && endsAt <= now
  const end =
    endsAt === undefined ? 'has no known end' : `${isOver ? 'ended at' : 'lives until'} ${describeMoment(endsAt, now)}`
  if (tokens.refreshToken)
    return {
      status: 'good',
      text: `${name} ${end}; a refresh token is kept, with which it is renewed without a person`,
    }
  const text = `${name} ${end}; no refresh token is kept`
  return isOver ? { status: 'bad', text, hint } : { status: 'note', text, hint: describeRemedy(settings, options) }
}
