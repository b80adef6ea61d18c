import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClientContext, contextEnvironment } from '../../src/contract/context.ts'
import { writeAwsDirectory } from '../../test/stand-ins/aws/aws-directory.ts'
import { bundleAll, type WrittenBundle } from '../bundle/bundle.ts'
import { hostTarget } from '../executable/runtimes.ts'
import { buildSuite, type Suite } from '../executable/suite.ts'
import { bundlePath } from '../tree.ts'
import { buildFloor } from './empty-executables.ts'
import type { Timed } from './processes.ts'

/** What is measured, built and ready, and what it is measured against. */
export interface Bench {
  readonly pairs: number
  /** Gone after the benchmark. */
  readonly home: string
  /** Of every process: an AWS profile with access keys, and the context named, so that nothing is guessed. */
  readonly env: NodeJS.ProcessEnv
  readonly bundles: readonly WrittenBundle[]
  readonly suite: Suite
  /** The least that an executable takes. */
  readonly floor: Timed & { readonly what: string }
  /** The least that a script takes. */
  readonly emptyScript: Timed
}

const context: ClientContext = 'background'

export async function setBench(home: string, pairs: number): Promise<Bench> {
  const { environment } = await writeAwsDirectory(home, {
    config: { 'profile bench': { region: 'eu-central-1' } },
    credentials: { bench: { aws_access_key_id: 'AKIABENCH00000000000', aws_secret_access_key: 'bench' } },
  })
  const env = { ...environment, PATH: process.env.PATH, AWS_PROFILE: 'bench', ...contextEnvironment(context) }
  const script = join(home, 'empty.cjs')
  await writeFile(script, '')
  return {
    ...{ pairs, home, env },
    bundles: await bundleAll(),
    suite: await buildSuite(hostTarget, {}, home),
    floor: await buildFloor(home, env, pairs),
    emptyScript: { file: process.execPath, args: [script], env },
  }
}

/** A helper as an executable. */
export function executable({ suite, env }: Bench, helper: string, args: readonly string[] = []): Timed {
  return { file: join(suite.directory, helper), args, env }
}

/** A helper as a bundle that Node runs. */
export function bundled({ env }: Bench, helper: string, args: readonly string[] = []): Timed {
  return { file: process.execPath, args: [bundlePath(helper), ...args], env }
}
