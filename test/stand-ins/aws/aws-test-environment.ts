import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import { type AwsDirectory, type AwsDirectoryContent, writeAwsDirectory } from './aws-directory.ts'
import { type AwsStandIn, startAwsStandIn } from './aws-stand-in.ts'

export interface AwsTestEnvironment extends AsyncDisposable {
  aws: AwsStandIn
  /** Writes `.aws` in a home directory of the test's own and points this process to it. */
  useDirectory(content: AwsDirectoryContent): Promise<AwsDirectory>
  use(environment: Record<string, string>): void
}

/** Points the AWS SDK of this process to a stand-in, until disposed of. The machine's own files are not read. */
export async function startAwsTestEnvironment(): Promise<AwsTestEnvironment> {
  const home = await mkdtempDisposable(join(tmpdir(), 'aws-stand-in-'))
  const aws = await startAwsStandIn()
  const use = (environment: Record<string, string>) => {
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  }
  const useDirectory = async (content: AwsDirectoryContent) => {
    const directory = await writeAwsDirectory(home.path, content)
    use(directory.environment)
    return directory
  }
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) vi.stubEnv(name, undefined)
  await useDirectory({})
  use({ ...aws.environment, AWS_REGION: 'eu-central-1' })
  return {
    aws,
    use,
    useDirectory,
    [Symbol.asyncDispose]: async () => {
      vi.unstubAllEnvs()
      await home.remove()
      await aws[Symbol.asyncDispose]()
    },
  }
}
