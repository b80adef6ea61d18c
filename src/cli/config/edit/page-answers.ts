import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { choosePolicyName, examineInstalledClient } from '../../../client/installed-client.ts'
import { listNumbers, renderDrawing } from '../../../client/page/render-simulation-page.ts'
import { parseScenario } from '../../../client/simulation/parse-scenario.ts'
import { planDocuments, planScenario } from '../../../client/simulation/plan-scenario.ts'
import { readyMadeScenarios } from '../../../client/simulation/ready-made-scenarios.ts'
import { describeConclusions, renderVerdict, summarize } from '../../../client/simulation/summarize-simulation.ts'
import { operatingSystems, systemTitles } from '../../../config/check/rule.ts'
import { isRelease } from '../../../config/define-field.ts'
import type { ConfigDocument } from '../../../config/document.ts'
import { parseDocument, type ReadResult } from '../../../config/read/read-document.ts'
import { readDocumentFile } from '../../../config/read/read-document-file.ts'
import { nestedSchemaVersion } from '../../../contract/served-document.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { renderJson } from '../../../runtime/values/json-value.ts'
import { vendor } from '../../../vendor.ts'
import type { Cli } from '../../cli.ts'
import { toSimulatedDocument } from '../../simulate/built-in.ts'
import { computeDayStart, moveExpiry, playOnGateway } from '../../simulate/stage.ts'
import { createExaminedMachine } from '../../vendor-installed.ts'
import type { CheckedFor } from '../collect-findings.ts'
import { chooseReaders } from '../write-answer.ts'
import { readEditedFile, writeEditedFile } from './edited-file.ts'
import { compareText, type EditedFile, examineText, listShownFields, readText } from './examine-text.ts'
import { listFormats, renderExport } from './export-text.ts'
import { absentDigest, type Compared, type DrawnDay, type FileContent, type OpenedPage } from './page-data.ts'
import type { PageAnswers } from './serve-page.ts'

/**
 * Creates the answers to the page's requests.
 * @param onSaved Receives each saved text.
 */
export function createAnswers(cli: Cli, edited: Edited, onSaved: () => void) {
  const { path } = edited
  const readNow = () => readEditedFile(path)
  const answers = {
    examine: async (body) => {
      const { text, release, system } = parseAs(bodies.examine, body)
      return examineText(cli, text, { file: edited, wanted: toCheckedFor(release, system) })
    },
    compare: async (body) => compareWith(cli, edited, parseAs(bodies.compare, body)),
    export: async (body) => {
      const { text, ...wanted } = parseAs(bodies.export, body)
      return renderExport(cli, await readText(text, edited), wanted)
    },
    day: createQueue(async (body) => {
      const { text, ...wanted } = parseAs(bodies.day, body)
      return playDay(cli, (await readText(text, edited)).document, wanted)
    }),
    file: readNow,
    save: createQueue(async (body) => {
      const { text, base } = parseAs(bodies.save, body)
      const readers = chooseReaders((await readText(text, edited)).document)
      const saved = await writeEditedFile(path, { text, base, readers })
      if (saved.isSaved) onSaved()
      return saved
    }),
    finish: async () => ({}),
  } satisfies PageAnswers
  const open = async (session: string) => toOpenedPage(session, edited, await readNow())
  return { open, answers }
}

/** The edited file, and the first client release; empty if none was given. */
type Edited = EditedFile & { readonly release: string }

/** @throws {HelperError} `usage` for a body of another form, which the page never sends. */
function parseAs<T extends z.ZodMiniType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new HelperError('usage', 'the request has another form', 'reload the page')
}

function toCheckedFor(release: string, system: string): CheckedFor {
  const os = operatingSystems.find((other) => other === system)
  return {
    clientVersion: isRelease(release) ? release : undefined,
    os,
    here: system === 'here' ? true : undefined,
  }
}

async function compareWith(cli: Cli, edited: Edited, wanted: z.infer<typeof bodies.compare>): Promise<Compared> {
  const after = await readText(wanted.text, edited)
  switch (wanted.with) {
    case 'file':
      return compareText(await readText((await readEditedFile(edited.path)).text, edited), after, 'the file')
    case 'other':
      return compareText(parseDocument(Buffer.from(wanted.other, 'base64')), after, 'the other file')
    case 'installed': {
      const installed = await findInstalledDocument(cli.host)
      if (installed) return compareText(installed.result, after, installed.source)
      return { source: undefined, problem: 'Nothing is installed on this machine.', differences: [] }
    }
  }
}

/** Runs one request at a time, in the order of arrival. */
function createQueue(work: PageAnswers[string]): PageAnswers[string] {
  let last: Promise<unknown> = Promise.resolve()
  return (body) => {
    const next = last.then(() => work(body))
    last = next.catch(() => undefined) // the request itself gets the error
    return next
  }
}

/**
 * Finds the document that is installed under the name in force, in this order: on Linux the managed file; on macOS the preferences that are
 * managed for the machine, then those for this user; on Windows the policy of the machine, then that of the user.
 */
async function findInstalledDocument(
  host: Host,
): Promise<{ readonly source: string; readonly result: ReadResult } | undefined> {
  const { policies } = await examineInstalledClient(createExaminedMachine(host), vendor)
  const policyName = vendor[choosePolicyName(host.platform)].toLowerCase()
  const found = policies.find(
    ({ name, location }) => name.toLowerCase() === policyName && isRead(host.platform, location),
  )
  if (!found) return undefined
  const { location } = found
  return {
    source: location,
    result: await (host.platform === 'win32' ? readRegistryKey(host, location) : readDocumentFile(location)),
  }
}

/** On macOS, preferences that are managed for another user are in a folder with that user's name. */
function isRead(platform: NodeJS.Platform, location: string): boolean {
  return platform !== 'darwin' || ['Managed Preferences', userInfo().username].includes(basename(dirname(location)))
}

async function readRegistryKey(host: Host, key: string): Promise<ReadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepass-'))
  try {
    const path = join(folder, 'policy.reg')
    await createExaminedMachine(host).run('reg', ['export', key, path, '/y', '/reg:64'])
    return await readDocumentFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Simulates a ready-made day with the times of a document. Its helper or person is simulated: nothing runs, and nothing leaves the machine.
 */
async function playDay(
  cli: Cli,
  document: ConfigDocument | undefined,
  { scenario: name, tokenLifeSec }: { readonly scenario: string; readonly tokenLifeSec: number },
): Promise<DrawnDay> {
  const simulated = document && toSimulatedDocument(moveExpiry(document))
  if (!simulated) return createUnplayedDay('There is no day to play: the document has no credential that works.')
  const parsed = parseScenario(readyMadeScenarios[name] ?? '')
  const tasks = parsed.ok ? planScenario(parsed.scenario) : 'it cannot be read'
  if (!parsed.ok || typeof tasks === 'string') return createUnplayedDay(`${name}: ${tasks}.`)
  const planned = planDocuments(simulated, parsed.scenario, computeDayStart(Date.now()))
  if (typeof planned === 'string') return createUnplayedDay(`${name}: ${planned}.`)
  const play = { tasks, document: planned.first, flags: { client: 'desktop' }, simulatedLifeSec: tokenLifeSec } as const
  const events = await playOnGateway(cli, play)
  const numbers = summarize(events)
  return {
    problem: '',
    isWell: numbers.lostTurns + numbers.lostToSimulation === 0,
    verdict: renderVerdict(numbers),
    numbers: listNumbers(numbers),
    conclusions: describeConclusions(events),
    timeline: renderDrawing(events),
  }
}

function toOpenedPage(session: string, { path, release }: Edited, file: FileContent): OpenedPage {
  return {
    session,
    name: basename(path),
    file,
    text: file.digest === absentDigest ? newDocument : file.text,
    release,
    fields: listShownFields(),
    systems: [
      { name: '', title: 'every system that it names a helper for' },
      ...operatingSystems.map((name) => ({ name, title: systemTitles[name] })),
      { name: 'here', title: 'this machine and its files' },
    ],
    formats: listFormats(),
    scenarios: listScenarios(),
  }
}

/** A new document with the two fields on which all others depend. */
const newDocument = renderJson({ $schemaVersion: nestedSchemaVersion, inference: { provider: 'gateway' } })

const bodies = {
  examine: z.object({ text: z.string(), release: z.string(), system: z.string() }),
  compare: z.object({ text: z.string(), with: z.enum(['file', 'installed', 'other']), other: z.string() }),
  export: z.object({
    text: z.string(),
    to: z.string(),
    release: z.string(),
    identifier: z.string(),
    organization: z.string(),
    moreInfoUrl: z.string(),
  }),
  day: z.object({
    text: z.string(),
    scenario: z.string(),
    tokenLifeSec: z.number().check(z.int(), z.minimum(1), z.maximum(31_536_000)),
  }),
  save: z.object({ text: z.string(), base: z.string() }),
} as const

/** Lists the ready-made days. `kind` is the credential of a day, and empty for a day of any kind. */
function listScenarios(): OpenedPage['scenarios'] {
  return Object.entries(readyMadeScenarios).flatMap(([name, text]) => {
    const parsed = parseScenario(text)
    return parsed.ok ? [{ name, summary: parsed.scenario.summary, kind: parsed.scenario.kind ?? '' }] : []
  })
}

function createUnplayedDay(problem: string): DrawnDay {
  return { problem, isWell: false, verdict: '', numbers: [], conclusions: [], timeline: '' }
}
