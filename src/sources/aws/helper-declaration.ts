// Folder: AWS identities: the declaration of a helper that uses one, and a folder for each step from the AWS files to the keys.

import type { AwsKeys, NetworkCall, Plan } from '../../helper/define-helper.ts'
import type { DiagnosedRun, Diagnosis } from '../../helper/diagnosis.ts'
import type { CommonOptions } from '../../helper/options/every-helper-options.ts'
import type { Options } from '../../helper/options/option-table.ts'
import type { SignIn, SignInState } from '../../helper/sign-in.ts'
import type { Host } from '../../runtime/host.ts'
import type { signInOptions } from '../oauth/sign-in-options.ts'
import type { awsOptions } from './credentials/aws-options.ts'
import type { AwsPlan } from './credentials/credential-source.ts'
import type { ChainOptions, DiagnosisParts } from './diagnosis/diagnose-aws.ts'
import { sdkChainCommand } from './sdk-chain/sdk-process-messages.ts'

/**
 * Creates the declaration for `--explain` and `gatepass doctor` of a helper that uses an AWS identity. Everything here is loaded on use,
 * because a call that prints a token does not need it.
 */
export function createAwsDiagnosis<O extends ChainOptions, P extends Plan>(parts: DiagnosisParts<O, P>) {
  return {
    async explain(plan: P): Promise<readonly string[]> {
      const aws = parts.toAwsPlan(plan)
      return aws ? (await import('./diagnosis/explain-plan.ts')).explainAwsPlan(aws, plan.steps) : plan.steps
    },

    listAsked(options: O): readonly string[] {
      const { isAws = () => true } = parts
      return isAws(options) ? [secondOpinion] : []
    },

    async diagnose(
      host: Host,
      options: O & CommonOptions,
      call: NetworkCall,
      run: DiagnosedRun<P>,
    ): Promise<Diagnosis> {
      const { diagnoseRun } = await import('./diagnosis/diagnose-aws.ts')
      return diagnoseRun(parts, host, options, call, run)
    },
  }
}

/** The requests that a diagnosis sends to AWS, in words. */
const secondOpinion =
  "AWS again, with the helper's own chain and with the AWS SDK's, and AWS STS, which says whose credentials each of them found"

/**
 * Creates the declaration for signing a person in to AWS.
 * @param toAwsPlan Returns the AWS identity's part of the helper's plan.
 */
export function createAwsSignIn<P>(toAwsPlan: (plan: P) => AwsPlan) {
  return {
    async signIn(
      host: Host,
      options: Options<typeof signInOptions>,
      call: NetworkCall,
      plan: P,
    ): Promise<SignIn | undefined> {
      const { findAwsSignIn } = await import('./find-aws-sign-in.ts')
      return findAwsSignIn(toAwsPlan(plan), { host, call, options })
    },

    async renew(host: Host, _options: unknown, call: NetworkCall, plan: P): Promise<void> {
      const { renewAwsSignIn } = await import('./find-aws-sign-in.ts')
      await renewAwsSignIn(toAwsPlan(plan), { host, call })
    },

    async whoami(host: Host, _options: unknown, _call: NetworkCall, plan: P): Promise<SignInState | undefined> {
      const { readSignInState } = await import('./diagnosis/sign-in-state.ts')
      return readSignInState(toAwsPlan(plan), host)
    },
  }
}

/**
 * Creates the declaration of a helper that also gives the AWS credentials with which it signs, for clients that want them.
 * @param toAwsPlan Returns the credentials' part of the helper's plan.
 */
export function createPrintedCredentials<P extends Plan>(toAwsPlan: (plan: P) => AwsPlan) {
  return {
    async obtainAwsCredentials(
      host: Host,
      { path }: Pick<Options<typeof awsOptions>, 'path'>,
      call: NetworkCall,
      plan: P,
    ): Promise<AwsKeys> {
      const { fetchAwsCredentials } = await import('./credentials/credentials.ts')
      return fetchAwsCredentials({ host, call, plan: toAwsPlan(plan), path })
    },
  }
}

/** The declaration of the process in which the AWS SDK runs. This file does not load the SDK. */
export const sdkChild = {
  async [sdkChainCommand](program: string, host: Host): Promise<void> {
    const { runSdkChain } = await import('./sdk-chain/run-sdk-chain.ts')
    await runSdkChain(program, host)
  },
}
