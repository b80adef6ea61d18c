import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import type { Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type TestHost, testHost } from '../../setup/test-host.ts'
import { writeAwsDirectory } from './aws-directory.ts'
import { type AwsStandIn, startAwsStandIn } from './aws-stand-in.ts'

export const user = 'arn:aws:iam::111122223333:user/dev'
export const role = 'arn:aws:iam::444455556666:role/teams/build'
export const region = 'eu-central-1'

/** A part of every secret that a test invents, so that one search finds them all. */
const canary = 'canary'

interface DeskCall {
  readonly argv?: readonly string[]
  /** Added to the desk's own. */
  readonly env?: Readonly<Record<string, string>>
}

/** A home directory and an AWS for one test, in whose process the helper runs. */
export interface AwsDesk {
  readonly home: string
  readonly aws: AwsStandIn
  /** Copies the configuration to a path where no AWS tool looks by itself. */
  writeElsewhere(): Promise<{ configPath: string }>
  /** The settings of one run of the helper. */
  createHost(call?: DeskCall): Promise<TestHost>
  /** Runs the helper whole, and searches what it says for secrets. */
  run(call?: DeskCall): Promise<Outcome>
}

/**
 * Prepares a desk where profile `dev` has keys that do not expire, and profile `build` assumes a role with them for an hour.
 * @param name The name under which the helper runs.
 */
export async function startAwsDesk(name: string, helper: AnyHelper): Promise<AwsDesk> {
  const home = await temporaryDirectory()
  const aws = await startAwsStandIn()
  onTestFinished(() => aws[Symbol.asyncDispose]())
  const { accessKeyId, secretAccessKey } = aws.addAccessKey({ arn: user, secretAccessKey: `${canary}/secret+key` })
  aws.addRole({ arn: role, trusts: [user] })
  const { environment, configPath } = await writeAwsDirectory(home, {
    config: {
      'profile dev': { region },
      'profile build': { region, role_arn: role, source_profile: 'dev' },
    },
    credentials: { dev: { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } },
  })
  const createHost = ({ argv = [], env = {} }: DeskCall = {}) => {
    const startedAt = Date.now()
    const clock = { now: Date.now, startedAt, elapsedMs: () => Date.now() - startedAt }
    return testHost({ argv, env: { ...environment, ...aws.environment, AWS_PROFILE: 'dev', ...env }, home, clock })
  }
  return {
    home,
    aws,
    createHost,
    writeElsewhere: async () => {
      const path = join(home, 'aws-config')
      await copyFile(configPath, path)
      return { configPath: path }
    },
    run: async (call) => {
      const host = await createHost(call)
      const { status } = await runHelper(name, helper, host)
      expect([canary, 'eyJ'].filter((secret) => host.written.stderr.includes(secret))).toEqual([])
      return { status, ...host.written }
    },
  }
}
