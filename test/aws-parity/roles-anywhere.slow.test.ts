import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeProgram } from '../helpers/aws-bedrock-token/credential-program.ts'
import { expectToken } from '../helpers/aws-bedrock-token/read-token.ts'
import { failure, startWorkbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { readExample } from './read-tables.ts'

const required = ['--certificate', '--private-key', '--trust-anchor-arn', '--profile-arn', '--role-arn']
const optional = ['--session-duration', '--region', '--role-session-name', '--intermediates', '--endpoint']

/**
 * Stands in for aws_signing_helper 1.x: takes its subcommand and flags, reads both files, and prints its document, which ends
 * without a line break. As in the real one, what is wrong goes to stderr with status 1.
 */
function renderSigningHelper(document: object): string {
  return `
refuse() { echo "2026/01/15 12:00:00 $1" >&2; exit 1; }
[ "$1" = credential-process ] || refuse "unknown command $1"
shift
seen=
while [ $# -gt 0 ]; do
  case "$1" in
    ${[...required, ...optional].join('|')}) ;;
    *) refuse "unknown flag: $1" ;;
  esac
  case "$1" in --certificate|--private-key) [ -r "$2" ] || refuse "unable to read $2" ;; esac
  seen="$seen $1"
  shift 2
done
for flag in ${required.join(' ')}; do
  case "$seen " in *" $flag "*) ;; *) refuse "missing $flag" ;; esac
done
printf %s '${JSON.stringify(document)}'`
}

async function startDesk() {
  const bench = await startWorkbench()
  const {
    accessKeyId,
    secretAccessKey,
    sessionToken = '',
  } = bench.aws.addAccessKey({
    arn: 'arn:aws:sts::111122223333:assumed-role/desk/3f1c',
    sessionToken: 'canary+/=',
  })
  const Expiration = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z')
  const document = {
    Version: 1,
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    SessionToken: sessionToken,
    Expiration,
  }
  await writeProgram(join(bench.home, 'roles anywhere', 'aws_signing_helper'), renderSigningHelper(document))
  for (const name of ['desk.pem', 'desk.key']) await writeFile(join(bench.home, 'roles anywhere', name), '')
  await bench.write({ config: await readRecipe(bench.home) })
  return { bench, accessKeyId }
}

/** Reads the profile as docs/aws.md has it, with this test's directory in place of the system's. */
async function readRecipe(home: string): Promise<string> {
  const recipe = await readExample('IAM Roles Anywhere')
  return recipe.replaceAll(/\/(opt|etc)\/roles anywhere/g, join(home, 'roles anywhere'))
}

test('the recipe for IAM Roles Anywhere gives a token although its paths have spaces', async () => {
  const { bench, accessKeyId } = await startDesk()
  await using _ = bench
  expectToken(await bench.run({ argv: ['--profile', 'desk'] }), bench.aws, accessKeyId)
})

test('a refusal by aws_signing_helper is reported without its stderr', async () => {
  const { bench } = await startDesk()
  await using _ = bench
  const recipe = await readRecipe(bench.home)
  await bench.write({ config: recipe.replace('desk.key', 'canary.key') })
  expect(await bench.run({ argv: ['--profile', 'desk'] })).toEqual(
    failure(
      5,
      'the credential_process of profile "desk" failed with exit status 1',
      'see what it prints with: aws configure export-credentials --profile desk',
    ),
  )
})
