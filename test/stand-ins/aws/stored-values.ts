import { randomUUID } from 'node:crypto'
import {
  type AwsOperation,
  type AwsOperationName,
  AwsRefusal,
  type AwsRequest,
  type AwsWorld,
  parseJson,
  parseJsonParameters,
} from './aws-operation.ts'
import { authenticateJson } from './json-authentication.ts'

/** The value of a secret; a function makes a value for each reading, as a rotation before each of them would. */
type StoredValue = string | Uint8Array | (() => string)

/** What Secrets Manager and Parameter Store of one account keep, in every region the same service address. */
export interface StoredValues {
  /** A new value becomes `AWSCURRENT`, and the one before it `AWSPREVIOUS`. Returns the ARN. */
  putSecret(name: string, value: StoredValue, place?: { region?: string }): string
  /** It can no longer be read, and can be restored. */
  deleteSecret(name: string): void
  /** A new value is a new version. Returns the ARN. */
  putParameter(name: string, value: string, options?: { label?: string; region?: string }): string
}

interface Kept {
  arn: string
  region: string
  isDeleted: boolean
  versions: { id: string; labels: string[]; value: StoredValue }[]
}

const account = '111122223333'
const usual = 'eu-central-1'

export function createStoredValues(world: AwsWorld): StoredValues & { operations: AwsOperation[] } {
  const secrets = new Map<string, Kept>()
  const parameters = new Map<string, Kept>()
  return {
    operations: [
      defineJsonOperation('GetSecretValue', 'secretsmanager', (request, asked) => {
        const region = authenticateJson(request, 'secretsmanager', world)
        return answerSecret(find(secrets, asked.SecretId, region), asked)
      }),
      defineJsonOperation('GetParameter', 'AmazonSSM', (request, asked) => {
        const region = authenticateJson(request, 'ssm', world)
        if (asked.WithDecryption !== 'true')
          throw new AwsRefusal('ValidationException', 400, 'the stand-in keeps secrets')
        return answerParameter(parameters, asked.Name ?? '', region)
      }),
    ],
    putSecret: (name, value, { region = usual } = {}) => {
      const arn = `arn:aws:secretsmanager:${region}:${account}:secret:${name}-AbCdEf`
      const kept = secrets.get(name) ?? { arn, region, isDeleted: false, versions: [] }
      for (const version of kept.versions) version.labels = version.labels.includes('AWSCURRENT') ? ['AWSPREVIOUS'] : []
      kept.versions.push({ id: randomUUID(), labels: ['AWSCURRENT'], value })
      secrets.set(name, kept)
      return kept.arn
    },
    deleteSecret: (name) => {
      secrets.get(name)!.isDeleted = true // a test deletes what it has put
    },
    putParameter: (name, value, { label, region = usual } = {}) => {
      const arn = `arn:aws:ssm:${region}:${account}:parameter/${name.replace(/^\//, '')}`
      const kept = parameters.get(name) ?? { arn, region, isDeleted: false, versions: [] }
      kept.versions.push({ id: String(kept.versions.length + 1), labels: label === undefined ? [] : [label], value })
      parameters.set(name, kept)
      return arn
    },
  }
}

function defineJsonOperation(name: AwsOperationName, target: string, answer: AwsOperation['answer']): AwsOperation {
  return {
    name,
    protocol: 'json',
    accepts: ({ method, headers }: AwsRequest) =>
      method === 'POST' &&
      headers['x-amz-target'] === `${target}.${name}` &&
      headers['content-type'] === 'application/x-amz-json-1.1',
    parameters: ({ body }) => (parseJson(body) === undefined ? {} : parseJsonParameters(body)),
    answer,
  }
}

function find(kept: ReadonlyMap<string, Kept>, id: string | undefined, region: string): Kept | undefined {
  return [...kept].find(([name, { arn, region: own }]) => own === region && (name === id || arn === id))?.[1]
}

/** Messages of Secrets Manager as published clients have recorded them. */
function answerSecret(kept: Kept | undefined, { VersionId: id, VersionStage: stage }: Record<string, string>): unknown {
  const missing = (what: string) =>
    new AwsRefusal('ResourceNotFoundException', 400, `Secrets Manager can't find the specified secret${what}.`)
  if (!kept) throw missing('')
  if (kept.isDeleted)
    throw new AwsRefusal(
      'InvalidRequestException',
      400,
      "You can't perform this operation on the secret because it was marked for deletion.",
    )
  const label = stage ?? (id === undefined ? 'AWSCURRENT' : undefined)
  const version = kept.versions.find(
    (candidate) => (id ?? candidate.id) === candidate.id && (label === undefined || candidate.labels.includes(label)),
  )
  if (!version) throw missing(` value for ${id === undefined ? `staging label: ${label}` : `VersionId: ${id}`}`)
  const value = typeof version.value === 'function' ? version.value() : version.value
  return {
    ARN: kept.arn,
    VersionId: version.id,
    VersionStages: version.labels,
    ...(typeof value === 'string' ? { SecretString: value } : { SecretBinary: Buffer.from(value).toString('base64') }),
  }
}

function answerParameter(parameters: ReadonlyMap<string, Kept>, id: string, region: string): unknown {
  const [, bare = '', selector] = /^(arn:[^/]*\/[^:]+|[^:]+)(?::(.+))?$/.exec(id) ?? []
  const kept = find(parameters, bare, region)
  if (!kept) throw new AwsRefusal('ParameterNotFound', 400, '')
  const version =
    selector === undefined
      ? kept.versions.at(-1)
      : kept.versions.find((candidate) => candidate.id === selector || candidate.labels.includes(selector))
  if (!version)
    throw new AwsRefusal('ParameterVersionNotFound', 400, `Systems Manager could not find version ${selector}`)
  const { value: Value } = version
  return { Parameter: { ARN: kept.arn, Type: 'SecureString', Value, Version: Number(version.id), DataType: 'text' } }
}
