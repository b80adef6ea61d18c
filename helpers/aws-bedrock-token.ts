import { longestKeyLifeSec } from '../src/contract/aws/keys.ts'
import { defineHelper } from '../src/helper/define-helper.ts'
import { isMisuse, validateReading } from '../src/runtime/failure.ts'
import { awsFacts } from '../src/sources/aws/credentials/aws-options.ts'
import type { AwsPlan } from '../src/sources/aws/credentials/credential-source.ts'
import { planAwsCredentials, validateAwsOptions } from '../src/sources/aws/credentials/plan-credentials.ts'
import { locateAwsFiles } from '../src/sources/aws/files/aws-files.ts'
import { createAwsSignIn, createPrintedCredentials, sdkChild } from '../src/sources/aws/helper-declaration.ts'
import { keyDiagnosis, keyOptions, refuseWrongWorkspace } from '../src/sources/aws/proofs/key-declaration.ts'
import { toWorkspaceHeader } from '../src/sources/workspace-header.ts'

export default defineHelper({
  summary: 'print a short-term key for Bedrock or another AWS service',
  options: keyOptions,
  help: {
    options: ['profile', 'region', 'sign-in', 'service', 'workspace', 'lifetime'],
    examples: [
      '--profile dev --explain',
      '--profile dev --region eu-central-1 --format headers',
      'sign-in --profile dev',
    ],
  },
  facts: awsFacts,
  children: sdkChild,
  reads: locateAwsFiles,
  longestLifeSec: longestKeyLifeSec,
  ...keyDiagnosis,
  ...createAwsSignIn((plan: AwsPlan) => plan),
  ...createPrintedCredentials((plan: AwsPlan) => plan),

  validate: (options, { program, platform }) => [
    ...validateAwsOptions(options, platform),
    ...validateReading(() => refuseWrongWorkspace(options, program)).filter(isMisuse),
  ],

  async plan(host, options, call) {
    refuseWrongWorkspace(options, call.program)
    return planAwsCredentials(host, options)
  },

  async mint(host, options, call, plan) {
    const [{ fetchAwsCredentials }, { signShortTermKey }] = await Promise.all([
      import('../src/sources/aws/credentials/credentials.ts'),
      import('../src/sources/aws/proofs/short-term-key.ts'),
    ])
    const credentials = await fetchAwsCredentials({ host, call, plan, path: options.path })
    const lifetimeSec = options.lifetime ?? Math.max(60, Math.min(2 * options['client-ttl'], longestKeyLifeSec))
    const request = { service: options.service, lifetimeSec, now: host.clock.now() }
    return { ...(await signShortTermKey(credentials, plan, request)), headers: toWorkspaceHeader(options) }
  },
})
