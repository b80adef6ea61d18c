import { expect, test } from 'vitest'
import workloadToken from '../../../helpers/workload-token.ts'
import type { AwsPlan } from '../../../src/sources/aws/credentials/credential-source.ts'
import { parseLines } from '../../../src/sources/aws/files/aws-files.ts'
import type { WorkloadPlan } from '../../../src/sources/exchange/plan-workload.ts'

const files = {
  configPath: '/c',
  credentialsPath: '/k',
  lines: [parseLines('[profile ci]\ncredential_process = x\n'), []],
  profiles: { ci: {} },
}
const aws = { source: { kind: 'process', profile: 'ci', command: 'x' }, files, region: 'eu-central-1' }
const exchanged = 'exchanged at api.example.com'

/** Creates a plan with what an explanation reads of it. */
function createPlan(step: string, source: { aws?: Pick<AwsPlan, 'region'> }): WorkloadPlan {
  return { source, steps: [step, exchanged] } as unknown as WorkloadPlan
}

test.each<[what: string, plan: WorkloadPlan, lines: string[]]>([
  [
    'of AWS has file and line of its settings below it',
    createPlan('the identity token from AWS STS, for profile "ci": runs its credential_process', { aws: aws as never }),
    [
      'the identity token from AWS STS, for profile "ci": runs its credential_process',
      '  credential_process: /c:2',
      exchanged,
    ],
  ],
  [
    'of a file gets no line below it',
    createPlan('the identity token in /run/token', {}),
    ['the identity token in /run/token', exchanged],
  ],
])('the explanation of an identity token %s', async (_what, plan, lines) => {
  expect(await workloadToken.explain!(plan)).toEqual(lines)
})
