import { basename } from 'node:path'
import * as z from 'zod/mini'
import { operatingSystems } from '../../../config/check/rule.ts'
import { isRelease } from '../../../config/define-field.ts'
import { readDocument } from '../../../config/read/read-document.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { renderJson } from '../../../runtime/values/json-value.ts'
import type { Cli } from '../../cli.ts'
import type { CheckedFor } from '../collect-findings.ts'
import { chooseReaders } from '../write-answer.ts'
import { readEditedFile, writeEditedFile } from './edited-file.ts'
import { compareText, type EditedFile, examineText, listShownFields, readText } from './examine-text.ts'
import { listFormats, renderExport } from './export-text.ts'
import { findInstalledDocument } from './installed.ts'
import { absentDigest, type Compared, type FileContent, type OpenedPage } from './page-data.ts'
import { listScenarios, playDay } from './play-day.ts'
import type { PageAnswers } from './serve-page.ts'

/** The answers to the requests of the page. @param onSaved Is told of each text that was written. */
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
  const open = async (session: string) => describeEdited(session, edited, await readNow())
  return { open, answers }
}

/** The edited file, and the client release to begin with; empty if none was named. */
type Edited = EditedFile & { readonly release: string }

/** One at a time, in the order in which they come. */
function createQueue(work: PageAnswers[string]): PageAnswers[string] {
  let last: Promise<unknown> = Promise.resolve()
  return (body) => {
    const next = last.then(() => work(body))
    last = next.catch(() => undefined) // whoever asked is told
    return next
  }
}

function describeEdited(session: string, { path, release }: Edited, file: FileContent): OpenedPage {
  return {
    session,
    name: basename(path),
    file,
    text: file.digest === absentDigest ? newDocument : file.text,
    release,
    fields: listShownFields(),
    systems: [
      { name: '', title: 'every system that it names a helper for' },
      { name: 'linux', title: 'Linux' },
      { name: 'macos', title: 'macOS' },
      { name: 'windows', title: 'Windows' },
      { name: 'here', title: 'this machine and its files' },
    ],
    formats: listFormats(),
    scenarios: listScenarios(),
  }
}

/** A document with the two fields that every other one depends on. */
const newDocument = renderJson({ $schemaVersion: 2, inference: { provider: 'gateway' } })

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

/** @throws {HelperError} `usage` for a body of another form, which only another program sends. */
function parseAs<T extends z.ZodMiniType>(schema: T, body: unknown): z.infer<T> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new HelperError('usage', 'the request has another form', 'reload the page')
}

function toCheckedFor(release: string, system: string): CheckedFor {
  const os = operatingSystems.find((other) => other === system)
  return {
    ...(isRelease(release) && { clientVersion: release }),
    ...(os && { os }),
    ...(system === 'here' && { here: true as const }),
  }
}

async function compareWith(cli: Cli, edited: Edited, wanted: z.infer<typeof bodies.compare>): Promise<Compared> {
  const after = await readText(wanted.text, edited)
  switch (wanted.with) {
    case 'file':
      return compareText(await readText((await readEditedFile(edited.path)).text, edited), after, 'the file')
    case 'other':
      return compareText(readDocument(Buffer.from(wanted.other, 'base64')), after, 'the other file')
    case 'installed': {
      const installed = await findInstalledDocument(cli.host)
      if (installed) return compareText(installed.result, after, installed.source)
      return { source: undefined, problem: 'Nothing is installed on this machine.', differences: [] }
    }
  }
}
