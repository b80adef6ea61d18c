import { HelperError } from '../../../runtime/failure.ts'
import type { ClientSignIn, OpenSignIn, SignInResult } from '../../sign-in/client-sign-in.ts'
import { refuseSignIns } from '../../sign-in/refuse-sign-ins.ts'
import type { WorldSettings } from './world-settings.ts'

type SignInWorld = Pick<WorldSettings, 'openSignIn' | 'conditions' | 'findPerson' | 'gateway'>

/** Sign-ins as they are, unless the scenario says otherwise; the gateway learns of every token when its life begins. */
export function simulateSignIns({ openSignIn = refuseSignIns, ...world }: SignInWorld): OpenSignIn {
  return (settings) => simulateSignIn(openSignIn(settings), world)
}

function simulateSignIn(signIn: ClientSignIn, { conditions, findPerson, gateway }: SignInWorld): ClientSignIn {
  const isDown = () => conditions.network === 'down' || conditions.provider === 'down'
  const register = (result: SignInResult): SignInResult => {
    if (result.ok) gateway.controls?.register(result.token.reveal(), result.lifeSec, 'fresh')
    return result
  }
  return {
    signIn: async () => {
      if (isDown()) return fail(unreachable)
      const person = findPerson()
      if (person !== 'agrees') return fail(person === 'away' ? personAway : personDeclines)
      const result = await signIn.signIn()
      if (result.ok) conditions.signIn = 'valid'
      return register(result)
    },
    renew: async () => {
      if (isDown()) return fail(unreachable)
      return conditions.signIn === 'revoked' ? fail(signInRevoked) : register(await signIn.renew())
    },
  }
}

function fail(failure: HelperError): SignInResult {
  return { ok: false, failure, durationMs: 0 }
}

const unreachable = new HelperError('unavailable', 'the identity provider cannot be reached', 'try again later')
const personAway = new HelperError('sign-in-required', 'nobody finished the sign-in in the browser', 'start again')
const personDeclines = new HelperError('refused', 'the sign-in was denied in the browser', 'start again')
const signInRevoked = new HelperError('sign-in-required', 'the provider refused the refresh token', 'sign in again')
