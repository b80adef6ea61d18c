import { posix, resolve } from 'node:path'
import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { hasSecret } from '../../config/document-values.ts'
import type { Finding } from '../../config/finding.ts'
import { findKeyGateway } from '../../contract/aws/keys.ts'
import { commonOptions } from '../../helper/options/every-helper-options.ts'
import { parseOptionFile } from '../../helper/options/option-files.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import { isNeutral, vendorSetting } from '../../vendor.ts'
import { programName } from '../../version.ts'
import type { Cli } from '../cli.ts'
import type { ExportFormat, ExportOptions } from '../config/export-format.ts'
import { type ExportName, exportFormats } from '../config/export-formats.ts'
import { type AnswerName, isNone, renderAnswers, type SetupAnswers } from './answers.ts'
import { planAuthority } from './authority.ts'
import { planUndo } from './back-steps.ts'
import { compareMachineFiles, comparePlannedDocuments, type OwnDifference } from './changes/differences.ts'
import {
  answersPath,
  authorityPath,
  awsConfigPath,
  type FolderFile,
  type OwnTexts,
  type TextFile,
  toStanding,
  vendorPath,
} from './folder.ts'
import { planGateway } from './gateway-files.ts'
import { listManaged, locateExport } from './management.ts'
import { renderPackages, renderReadme } from './pages.ts'
import { renderBack, renderPilot } from './pilot.ts'
import { listPlaced, planPlacement, planPlaybooks } from './place-files.ts'
import { handedOutProfile, type PlannedDocument, planDocuments } from './plan-document.ts'
import { planExplanations } from './plan-explanations.ts'
import { listPostponed, withPlaceholders } from './questions.ts'
import { renderRegistration } from './registration.ts'
import { findHelper, type SetupQuestion } from './setup-question.ts'

/** The planned folder, and the findings of the checks. */
export interface PlannedFolder {
  readonly files: readonly FolderFile[]
  readonly findings: readonly Finding[]
  /** The postponed answers: the folder has no document until they are given. */
  readonly open: readonly AnswerName[]
  /** The files that are missing until then; empty if no answer is open. */
  readonly missing: string
  /** Persons' own files that contradict the answers, from which the pages are generated. */
  readonly differences: readonly OwnDifference[]
}

/**
 * Plans the folder with everything that a rollout needs. The same answers give the same folder. Exports, scripts and recipes are generated
 * from a person's own text, if it replaces one of setup.
 */
export async function planFolder(cli: Cli, answers: SetupAnswers, own: OwnTexts): Promise<PlannedFolder> {
  const open = listPostponed({ cli, answers })
  // Somebody could roll out a document without a required answer.
  const documents = open.some(({ missingUntil }) => missingUntil === 'document')
    ? []
    : await planDocuments(cli, answers, own)
  const managed = listManaged(answers)
  const machineFiles = [
    ...planVendorFile(),
    ...(await planAuthority({ cli, answers })), // placed before the file that names it
    ...planMachineFile(cli, answers),
    ...planProfiles(answers),
  ]
  const ofMachine = machineFiles.map((file) => toStanding(file, own))
  const exports = managed.flatMap(({ system, formats }) =>
    formats.map((format) => renderExport({ system, format }, documents, toExportOptions(answers, ofMachine))),
  )
  const files: FolderFile[] = [
    ...documents.map(toDocumentFile),
    ...ofMachine,
    ...planPlacement(answers, ofMachine),
    ...planPlaybooks(managed, answers, ofMachine),
    ...exports.flatMap(({ files }) => files),
    ...(documents.length > 0 ? managed.flatMap(planUndo) : []),
    ...planExplanations(documents),
    ...(await planGateway({ cli, answers }, own)),
    {
      path: 'registration.md',
      content: renderRegistration({ cli, answers: withPlaceholders(cli, answers) }),
      about: 'what to register, step by step',
    },
    { path: 'packages.md', content: renderPackages(answers), about: 'the packages to fetch, and how to check them' },
  ]
  const pilot = renderPilot({ cli, answers }, files)
  const back = renderBack({ cli, answers }, files)
  const all = [
    ...files,
    { path: 'pilot.md', content: pilot, about: 'the pilot, on one page' },
    { path: 'back.md', content: back, about: 'how to take it back' },
    toAnswersFile(answers),
  ]
  const findings = [...documents, ...exports].flatMap((part) => part.findings)
  const readme = withOpenAnswers(renderReadme(all), open)
  return {
    files: [{ path: 'README.md', content: readme, about: 'this list' }, ...all],
    open: open.map(({ name }) => name),
    missing: renderMissing(open),
    findings: toUnique(findings),
    differences: [...comparePlannedDocuments(documents), ...compareMachineFiles(ofMachine)],
  }
}

function renderMissing(open: readonly SetupQuestion[]): string {
  return open.flatMap(({ missingUntil }) => (missingUntil ? missingFiles[missingUntil] : [])).join(', ')
}

const missingFiles: Readonly<Record<NonNullable<SetupQuestion['missingUntil']>, string>> = {
  document: 'the document and its exports',
  recipe: 'the gateway’s policy and recipe',
}

function planVendorFile(): TextFile[] {
  if (isNeutral) return []
  const content = renderJson(vendorSetting)
  return [{ path: vendorPath, content, about: 'the names of the client, for the machine’s directory' }]
}

/** Plans the machine's file of the helper, validated as by the helper itself. */
function planMachineFile(cli: Cli, answers: SetupAnswers): TextFile[] {
  const helper = findHelper({ cli, answers })
  if (!helper) return []
  const { identity = '', proxy, ca, outcomes } = answers
  const settings = {
    ...(!isNone(proxy) && { proxy }),
    ...(!isNone(ca) && { ca: `./${posix.basename(authorityPath)}` }),
    ...(outcomes === 'system' && { 'outcome-log': 'system' }),
    ...(outcomes?.includes('://') && { 'otlp-endpoint': outcomes }),
    ...(helper.signIn && { 'sign-in-hint': 'start a new conversation, and sign in in the browser that opens' }),
  }
  const content = renderJson(settings)
  const path = `machine/${identity}.json`
  parseOptionFile(resolve(path), 'machine', { ...commonOptions, ...helper.options }, content)
  return [{ path, content, about: 'what an administrator sets for the helper on each machine' }]
}

function planProfiles(answers: SetupAnswers): TextFile[] {
  const startUrl = answers['sso-start-url']
  if (isNone(startUrl)) return []
  const content = `[profile ${handedOutProfile}]
sso_session = people
sso_account_id = ${answers['sso-account']}
sso_role_name = ${answers['sso-role']}
region = ${answers['sso-region']}

[sso-session people]
sso_start_url = ${startUrl}
sso_region = ${answers['sso-region']}
sso_registration_scopes = sso:account:access
`
  return [{ path: awsConfigPath, content, about: 'the AWS profile, for the directory that the document names' }]
}

function renderExport(
  { system, format }: { readonly system: OperatingSystem; readonly format: ExportName },
  documents: readonly PlannedDocument[],
  options: ExportOptions,
): { readonly files: readonly FolderFile[]; readonly findings: readonly Finding[] } {
  const document = documents.find(({ systems }) => systems.includes(system))
  const { summary, render }: ExportFormat = exportFormats[format]
  const rendered = document && render(document.result, options)
  if (!document || !rendered) return { files: [], findings: [] }
  const isSecret = document.result.document !== undefined && hasSecret(document.result.document)
  const path = locateExport(system, format)
  const toFile = (each: string, content: string | Uint8Array): FolderFile => ({
    path: each,
    content,
    about: summary,
    isExport: true,
    ...(isSecret && { isSecret }),
  })
  const { content, findings } = rendered
  if (typeof content === 'string' || content instanceof Uint8Array) return { files: [toFile(path, content)], findings }
  return { files: Object.entries(content.files).map(([name, part]) => toFile(`${path}/${name}`, part)), findings }
}

function toExportOptions(answers: SetupAnswers, ofMachine: readonly FolderFile[]): ExportOptions {
  const { organization, 'client-version': clientVersion } = answers
  const identifier = chooseIdentifier(answers)
  const placed = operatingSystems.map((system) => [system, listPlaced(system, answers, ofMachine)])
  return {
    machineFiles: Object.fromEntries(placed),
    identifier,
    organization,
    clientVersion,
  }
}

function toDocumentFile({ path, systems, text, proposed, result }: PlannedDocument): FolderFile {
  const isSecret = result.document !== undefined && hasSecret(result.document)
  return {
    path,
    content: text,
    proposed,
    about: `the configuration document for ${systems.join(', ')}`,
    ...(isSecret && { isSecret }),
  }
}

function toAnswersFile(answers: SetupAnswers): FolderFile {
  return {
    path: answersPath,
    content: renderAnswers(answers),
    about: `your answers; \`${programName} setup\` reads them again`,
  }
}

function withOpenAnswers(readme: string, open: readonly SetupQuestion[]): string {
  if (open.length === 0) return readme
  const options = open.map(({ name }) => ` --${name} …`).join('')
  const note = `**This folder is not complete:** ${renderMissing(open)} are still missing. Register what [registration.md](registration.md) says,
then run \`${programName} setup --write${options}\` in this folder.`
  return readme.replace('\n\n', `\n\n${note}\n\n`)
}

function toUnique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [`${finding.path} ${finding.code}`, finding])).values()]
}

/**
 * Chooses the name of the macOS profile: by default the reversed host of the gateway, if the host is the organization's own. An AWS service
 * has a host of Amazon's, so the profile keeps the default name of `config export`.
 */
export function chooseIdentifier(answers: SetupAnswers): string | undefined {
  const { hostname } = new URL(answers['base-url'] ?? '')
  const reversed = hostname.split('.').reverse().join('.')
  const isOwn = /^[A-Za-z]/.test(reversed) && reversed.includes('.') && findKeyGateway(hostname) === undefined
  return answers.identifier ?? (isOwn ? reversed : undefined)
}
