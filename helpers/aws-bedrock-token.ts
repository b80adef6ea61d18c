import { defineHelper } from '../src/helper/define-helper.ts'
import { awsFacts } from '../src/sources/aws/credentials/options.ts'
import { type AwsPlan, planAwsCredentials } from '../src/sources/aws/credentials/plan.ts'
import { createPrintedCredentials } from '../src/sources/aws/credentials/printed-credentials.ts'
import { locateAwsFiles } from '../src/sources/aws/credentials/shared-files.ts'
import { keyDiagnosis } from '../src/sources/aws/proofs/key-diagnosis.ts'
import { keyOptions, longestKeyLifeSec, refuseWrongWorkspace } from '../src/sources/aws/proofs/key-options.ts'
import { awsSignIn } from '../src/sources/aws/sign-in/aws-sign-in.ts'
import { toWorkspaceHeader } from '../src/sources/workspace-header.ts'

export default defineHelper({
  summary: 'print a short-term key for Bedrock or another AWS service',
  options: keyOptions,
  facts: awsFacts,
  reads: locateAwsFiles,
  longestLifeSec: longestKeyLifeSec,
  ...keyDiagnosis,
  ...awsSignIn,
  ...createPrintedCredentials((plan: AwsPlan) => plan),

  async plan(host, options, call) {
    refuseWrongWorkspace(options, call.program)
    return planAwsCredentials(host, options)
  },

  async mint(host, options, call, plan) {
    // Loaded here, so that a call that is served from the cache does not wait for it.
    const [{ resolveAwsCredentials }, { signShortTermKey }] = await Promise.all([
      import('../src/sources/aws/credentials/credentials.ts'),
      import('../src/sources/aws/proofs/short-term-key.ts'),
    ])
    const credentials = await resolveAwsCredentials({ host, call, plan, path: options.path })
    const lifetimeSec = options.lifetime ?? Math.max(60, Math.min(2 * options['client-ttl'], longestKeyLifeSec))
    const request = { service: options.service, lifetimeSec, now: host.clock.now() }
    return { ...(await signShortTermKey(credentials, plan, request)), headers: toWorkspaceHeader(options) }
  },
})
