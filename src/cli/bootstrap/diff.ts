import type { Command } from 'commander'
import { describePeople } from '../../bootstrap/check-rollout.ts'
import type { ReleaseChange } from '../../bootstrap/compare-release.ts'
import type { LoadedRelease } from '../../bootstrap/open-release.ts'
import type { Rollout } from '../../bootstrap/rollout.ts'
import { HelperError, outcomeStatus } from '../../runtime/failure.ts'
import { renderJson } from '../../runtime/values/json-value.ts'
import type { Cli } from '../cli.ts'
import { jsonOption } from '../terminal.ts'
import {
  addReleaseOptions,
  checkFolder,
  findLive,
  type ReleaseFlags,
  rolloutArgument,
  toFolderFailure,
} from './check.ts'

/** Adds `gatepass bootstrap diff`: the people whose document a release of this folder would change, and the changes. */
export function addBootstrapDiff(bootstrap: Command, cli: Cli): void {
  addReleaseOptions(
    bootstrap
      .command('diff')
      .description('say what each person would get that the live release does not give them')
      .argument(...rolloutArgument),
  )
    .option(...jsonOption)
    .addHelpText(
      'after',
      `\nExit status: ${outcomeStatus.done} without a difference, ${outcomeStatus.no} with one, ${outcomeStatus.usage} if there is nothing to compare.`,
    )
    .action(async (folder: string, flags: ReleaseFlags & { json?: true }) => {
      const live = await findLive(flags)
      if (!live) throw new HelperError('usage', 'the live release is not named', 'pass --release and --public-key')
      const { source, checked } = await checkFolder(cli, folder, { live })
      if (!source.rollout || !checked.changes) throw toFolderFailure(folder)
      const groups = compareMembers(source.rollout, live)
      const all = checked.documents.map((document) => document.groups)
      const status = checked.changes.length + groups.length > 0 ? outcomeStatus.no : outcomeStatus.done
      cli.setExitStatus(status)
      const answer = { status, release: live.manifest.counter, groups, changes: checked.changes }
      cli.terminal.print(flags.json ? renderJson(answer) : renderText(answer, all))
    })
}

/** A group with other members than in the live release. */
interface GroupChange {
  readonly group: string
  readonly kind: 'added' | 'removed' | 'other people'
}

function compareMembers({ groups }: Rollout, { manifest }: LoadedRelease): GroupChange[] {
  const toComparable = ({ name, issuer, claims, choice, precedence }: Omit<Rollout['groups'][number], 'overlays'>) =>
    JSON.stringify([name, issuer, Object.entries(claims).toSorted(), choice, precedence])
  const before = new Map(manifest.groups.map((group) => [group.name, toComparable(group)]))
  const now = new Map(groups.map((group) => [group.name, toComparable(group)]))
  const names = [...new Set([...before.keys(), ...now.keys()])].toSorted()
  return names.flatMap((group) => {
    if (before.get(group) === now.get(group)) return []
    return [{ group, kind: !before.has(group) ? 'added' : now.has(group) ? 'other people' : 'removed' } as const]
  })
}

interface DiffAnswer {
  readonly release: number
  readonly groups: readonly GroupChange[]
  readonly changes: readonly ReleaseChange[]
}

function renderText({ release, groups, changes }: DiffAnswer, all: readonly (readonly string[])[]): string {
  if (groups.length + changes.length === 0) return `Everybody would get what release ${release} gives.\n`
  const lines = groups.map(({ group, kind }) => `group ${group}: ${kind}\n`)
  const blocks = Map.groupBy(changes, ({ combinations }) => describePeople(combinations, all) || 'everybody')
  const rows = [...blocks].map(([people, rows]) => `${people}\n${rows.map(renderChange).join('')}`)
  return [...lines, ...rows].join('')
}

function renderChange({ kind, path, before, after, consent }: ReleaseChange): string {
  const note = consent === 'asked' ? '  (people are asked to agree)' : ''
  const [old, present] = [JSON.stringify(before), JSON.stringify(after)]
  const values = {
    gained: `+ ${path}: ${present}`,
    lost: `- ${path}: ${old}`,
    changed: `~ ${path}: ${old} → ${present}`,
  }
  return `  ${values[kind]}${note}\n`
}
