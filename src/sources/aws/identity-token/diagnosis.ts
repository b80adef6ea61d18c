import { createAwsDiagnosis } from '../diagnosis/aws-diagnosis.ts'
import { type IdentityTokenOptions, identityTokenOptions } from './options.ts'
import type { IdentityTokenPlan } from './plan.ts'

/** What `gatepass doctor` is told of an identity token: the permissions, the algorithm, and a failed exchange. */
export const identityTokenDiagnosis = createAwsDiagnosis<IdentityTokenOptions, IdentityTokenPlan>({
  toAwsPlan: ({ aws }) => aws,

  permissions: ({ tag }) => [
    { action: 'sts:GetWebIdentityToken', resource: '*' },
    ...(tag.length > 0 ? [{ action: 'sts:TagGetWebIdentityToken', resource: '*' }] : []),
  ],

  algorithm: { option: 'algorithm', values: identityTokenOptions.algorithm.value },

  async exchange({ audience }, call, { exchange }) {
    if (!exchange) return undefined
    const { attemptExchange } = await import('../../exchange/attempt-exchange.ts')
    return attemptExchange({ audience: audience[0], identity: 'aws' }, call, exchange)
  },
})
