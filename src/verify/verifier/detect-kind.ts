import type { Policy } from '../policy/policy.ts'
import type { Identity } from '../verdict.ts'

/** Of which kind a token is by its form alone; whether it is good is another question. `undefined` for any other; pure. */
export function detectKind(token: string, { aws }: Pick<Policy, 'aws'>): Identity['kind'] | undefined {
  if (aws && aws.prefix !== '' && token.startsWith(aws.prefix)) return 'aws-identity'
  if (proofStarts.some((start) => token.startsWith(start))) return 'aws-identity'
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token) ? 'jwt' : undefined
}

/** A URL, as it is and in base64, and in base64 what a login of Vault begins with: `{"iam_`. */
const proofStarts = ['https://', 'aHR0cHM6Ly', 'eyJpYW1f']
