import { posix, win32 } from 'node:path'
import { operatingSystems, systemTitles } from '../../../config/check/rule.ts'
import { chooseTtlSec } from '../../../config/render/create-document.ts'
import { isSecureAddress } from '../../../runtime/network/addresses.ts'
import { locateInstalled } from '../../../suite/installed-programs.ts'
import { validateTtl } from '../../config/init/collect-helper.ts'
import { commandSummary, sharedWords } from '../../config/init/question.ts'
import { validateReverseDomainName } from '../../option-values.ts'
import { type SetupAnswers, splitList } from '../answers.ts'
import { listUnused, managementAliases, managementTools } from '../management.ts'
import { findHelper, type SetupQuestion, type SetupSituation } from '../setup-question.ts'

/** The management of the desktops, and the settings for the client and for operations. */
export const rolloutQuestions: readonly SetupQuestion[] = [
  {
    name: 'ttl',
    summary: 'for how many seconds the client keeps a token',
    words: sharedWords.ttl,
    applies: (situation) => findHelper(situation) !== undefined,
    // A helper with a suggested ttl renews by itself, whatever the life of its tokens.
    isAsked: (situation) => findHelper(situation)?.suggestedTtlSec === undefined,
    fallback: (situation) => ({ value: String(chooseTtl(situation)) }),
    validate: validateTtl,
  },
  {
    name: 'systems',
    summary: `the systems of the desktops: ${operatingSystems.join(', ')}`,
    words: 'Systems of the desktops, with commas between them',
    takes: 'several',
    aliases: { mac: 'macos', osx: 'macos', darwin: 'macos', win: 'windows' },
    choices: () => systemTitles,
    fallback: () => ({ value: operatingSystems.join(',') }),
  },
  {
    name: 'management',
    summary: `what hands the files out: ${Object.keys(managementTools).join(', ')}`,
    words: 'Management tools, with commas between them; each system takes the first that can manage it',
    takes: 'several',
    choices: ({ answers }) =>
      Object.fromEntries(
        Object.entries(managementTools)
          .filter(([, { exports }]) => splitList(answers.systems).some((system) => Object.hasOwn(exports, system)))
          .map(([name, { summary }]) => [name, summary]),
      ),
    aliases: managementAliases,
    fallback: () => ({ value: 'files' }),
    validate: validateManagement,
    warn: (_management, { answers }) => describeUnused(answers),
  },
  {
    name: 'outcomes',
    summary: 'who is told how calls end: none, system, or the https address of a collector (OTLP)',
    words: 'Who is told how calls end: none, system (its log), or the https address of a collector',
    applies: (situation) => findHelper(situation) !== undefined,
    fallback: () => ({ value: 'system' }),
    names: ['none', 'system'],
    validate: (answer) => (isSecureAddress(answer) ? undefined : 'expected none, system or a URL with https://'),
  },
]

/** Answers without a question, which only options give. */
export const optionAnswers: readonly SetupQuestion[] = [
  { name: 'client-version', summary: 'the oldest release of the client in use, such as 2.110.0' },
  {
    name: 'command',
    summary: commandSummary,
    applies: (situation) => findHelper(situation) !== undefined,
    validate: (path) => (posix.isAbsolute(path) ? undefined : 'expected a full path'),
  },
  {
    name: 'command-windows',
    summary: `where it is on Windows (default: ${locateInstalled('NAME', 'windows')})`,
    applies: (situation) => findHelper(situation) !== undefined,
    validate: (path) => (win32.isAbsolute(path) ? undefined : 'expected a full path'),
  },
  {
    name: 'identifier',
    summary: 'reverse domain name of the configuration profile of macOS',
    validate: validateReverseDomainName,
  },
  { name: 'organization', summary: 'the organization that the configuration profile of macOS names' },
]

/** Returns the problem of a tool that manages none of the systems; unknown words are reported elsewhere. */
function validateManagement(management: string, { answers }: SetupSituation): string | undefined {
  const wanted = splitList(answers.systems)
  const tools = new Map<string, { readonly exports: object }>(Object.entries(managementTools))
  for (const tool of splitList(management)) {
    const managed = Object.keys(tools.get(tool.toLowerCase())?.exports ?? {})
    if (managed.length > 0 && !managed.some((system) => wanted.includes(system)))
      return `${tool} manages ${managed.join(' and ')}, but --systems is ${wanted.join(', ')}`
  }
  return undefined
}

/** A named tool without any file would be noticed only after the rollout. */
function describeUnused(answers: SetupAnswers): { readonly message: string; readonly hint: string } | undefined {
  const [unused] = listUnused(answers)
  if (!unused) return undefined
  const { tool, systems: managed } = unused
  const why = managed.map((each) => `${each.system} is managed by ${each.tool}`).join(', ')
  const names = splitList(answers.management)
  const order = [tool, ...names.filter((name) => name !== tool)].join(',')
  return {
    message: `nothing is written for ${tool}: ${why}, because each system goes to the first tool that can manage it`,
    hint: `pass --management ${order} to have ${tool} manage what it can; make two folders where both tools manage some machines of a system`,
  }
}

function chooseTtl(situation: SetupSituation): number {
  const { suggestedTtlSec, longestLifeSec } = findHelper(situation) ?? {}
  return suggestedTtlSec ?? chooseTtlSec(longestLifeSec)
}
