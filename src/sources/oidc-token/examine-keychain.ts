import type { NetworkCall } from '../../helper/define-helper.ts'
import type { Observation } from '../../helper/diagnosis.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { openKey } from '../oauth/store/sealing/open-key.ts'
import type { OidcTokenPlan } from './plan.ts'

/** Which keychain keeps the key of a sign-in, and whether it gives it; nobody is asked to unlock it. */
export async function examineKeychain(
  host: Host,
  call: NetworkCall,
  { settings, files }: OidcTokenPlan,
): Promise<Observation> {
  try {
    const key = await openKey('keychain', settings, { host, files, prompt: 'never' })
    const found = await key.read(call.deadline)
    const text = found ? `the key of the sign-in is ${key.where}` : `the key of the sign-in is not yet ${key.where}`
    return { status: 'good', text: `${text}, which is unlocked` }
  } catch (error) {
    if (error instanceof HelperError) return { status: 'bad', text: error.message, hint: error.hint }
    throw error
  }
}
