import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { expect } from 'vitest'
import helper from '../../../helpers/aws-identity-token.ts'
import { fails, type Outcome } from '../../setup/run-program.ts'
import { type AwsDesk, startAwsDesk } from '../../stand-ins/aws/start-aws-desk.ts'

export const program = 'aws-identity-token'
export const audience = 'https://platform.example'
export const own = ['--audience', audience]

export const startDesk = () => startAwsDesk(program, helper)

export const failure = (status: number, message: string, hint: string) => fails(program, status, message, hint)

/** Returns the token of a run that says nothing beside it. */
export function tokenOf({ status, stdout, stderr }: Outcome): string {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return (JSON.parse(stdout) as { token: string }).token // a client would refuse anything else
}

/** Returns the claims of a token, verified against the keys that its issuer publishes. */
export async function verify(token: string, { aws }: AwsDesk): Promise<JWTPayload & { alg: string }> {
  const { issuer, jwks } = aws.outboundIdentity
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(jwks()), { issuer })
  return { ...payload, alg: protectedHeader.alg }
}

/** Returns for how long a token was asked for, in seconds. */
export const lifeOf = ({ iat = Number.NaN, exp = Number.NaN }: JWTPayload) => exp - iat
