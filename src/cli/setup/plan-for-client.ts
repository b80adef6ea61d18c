import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { digestNames } from '../../runtime/digest.ts'
import { HelperError } from '../../runtime/failure.ts'
import { prepareOwnProgram } from '../../runtime/host.ts'
import { runProcess } from '../../runtime/run-process.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { toVendor } from '../../vendor/setting.ts'
import { vendor } from '../../vendor.ts'
import type { Cli } from '../cli.ts'
import type { SetupAnswers } from './answers.ts'
import { findClientNames, namesInForce } from './client-names.ts'
import { type OwnTexts, toBytes, vendorPath } from './folder.ts'
import { type PlannedFolder, planFolder } from './plan-folder.ts'

/**
 * Plans the folder with the names of the people's client. Names are fixed before any code that uses them is loaded, so other names than
 * those in force need a process of their own.
 */
export async function planForClient(cli: Cli, answers: SetupAnswers, own: OwnTexts): Promise<PlannedFolder> {
  const setting = await findClientNames(answers.client)
  if (setting === undefined || digestNames(toVendor(setting)) === digestNames(vendor))
    return planFolder(cli, answers, own)
  const folder = await mkdtemp(join(tmpdir(), 'gatepass-setup-'))
  try {
    const names = join(folder, vendorPath)
    await writeFile(names, JSON.stringify(setting))
    const texts = join(folder, 'own')
    await writeOwnTexts(texts, own)
    return await planInProcess(cli, { names, texts }, answers)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Longer than any export takes, in milliseconds. */
const longestPlanMs = 120_000

/** Without setup's manifest, each file of a folder counts as a person's own. */
async function writeOwnTexts(folder: string, own: OwnTexts): Promise<void> {
  await mkdir(folder)
  for (const [path, text] of own) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

async function planInProcess(
  { host, terminal }: Cli,
  { names, texts }: { readonly names: string; readonly texts: string },
  answers: SetupAnswers,
): Promise<PlannedFolder> {
  const planner = prepareOwnProgram(['--vendor', names, 'setup', texts, '--json', '--answers', '-'])
  const outcome = await runProcess({
    command: { program: planner.program, args: planner.args, argv0: planner.argv0 },
    env: host.env,
    input: JSON.stringify({ ...answers, client: namesInForce }),
    signal: AbortSignal.timeout(longestPlanMs),
  })
  const printed = outcome.ended === 'exited' ? parseObject(Buffer.from(outcome.stdout).toString('utf8')) : undefined
  if (printed) return toPlanned(printed as unknown as PrintedFolder) // printed by the same program
  if (outcome.ended === 'exited') terminal.tell(outcome.stderr)
  throw new HelperError('usage', 'the folder cannot be made with these answers', 'follow the lines above')
}

interface PrintedFolder extends Omit<PlannedFolder, 'files'> {
  readonly files: readonly {
    readonly path: string
    readonly about: string
    readonly isSecret?: boolean
    readonly isExport?: true
    readonly base64: string
  }[]
}

function toPlanned({ files, ...printed }: PrintedFolder): PlannedFolder {
  return {
    ...printed,
    files: files.map(({ base64, ...file }) => ({ ...file, content: Buffer.from(base64, 'base64') })),
  }
}

/** Renders the folder as one JSON document, for another process that writes it. */
export function renderFolder({ files, ...planned }: PlannedFolder, status: 0 | 1): string {
  const listed = files.map(({ content, ...file }) => ({ ...file, base64: toBytes({ content }).toString('base64') }))
  return `${JSON.stringify({ status, ...planned, files: listed })}\n`
}
