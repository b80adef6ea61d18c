// The tools that manage desktops, and the formats that each accepts.

import { type OperatingSystem, operatingSystems } from '../../config/check/rule.ts'
import { type ExportName, exportFormats } from '../config/export-formats.ts'
import { type SetupAnswers, splitList } from './answers.ts'

/** Every management tool, with its formats. */
export const managementTools = {
  files: {
    summary: 'files and scripts that anything installs',
    exports: {
      linux: ['linux', 'detection-linux'],
      macos: ['mobileconfig', 'detection-macos'],
      windows: ['reg', 'detection-windows'],
    },
  },
  jamf: { summary: 'Jamf Pro', aliases: ['jamf-pro'], exports: { macos: ['mobileconfig', 'jamf-attribute'] } },
  intune: {
    summary: 'Microsoft Intune',
    aliases: ['microsoft-intune'],
    exports: {
      macos: ['mobileconfig', 'detection-macos'],
      windows: ['oma-uri', 'remediation', 'detection-windows'],
    },
  },
  sccm: {
    summary: 'Configuration Manager',
    aliases: ['configmgr', 'mecm'],
    exports: { windows: ['sccm-discovery', 'remediation'] },
  },
  'group-policy': {
    summary: 'group policies of Windows',
    aliases: ['gpo'],
    exports: { windows: ['admx', 'reg', 'detection-windows'] },
  },
  ansible: {
    summary: 'Ansible',
    exports: { linux: ['ansible', 'detection-linux'], macos: ['ansible', 'mobileconfig', 'detection-macos'] },
  },
} as const satisfies Readonly<Record<string, ManagementTool>>

/** The other names by which people call the tools. */
export const managementAliases = Object.fromEntries(
  Object.entries<ManagementTool>(managementTools).flatMap(([name, { aliases = [] }]) =>
    aliases.map((alias) => [alias, name]),
  ),
)

/** A management tool, as `--management` names it. */
export type ManagementName = keyof typeof managementTools

/** A system, the tool that manages it, and the tool's formats. */
export interface ManagedSystem {
  readonly system: OperatingSystem
  readonly tool: ManagementName
  readonly formats: readonly ExportName[]
}

/** Lists the tools among the answers that manage no system, because an earlier tool does; each with the systems that it could manage. */
export function listUnused(
  answers: SetupAnswers,
): { readonly tool: ManagementName; readonly systems: readonly ManagedSystem[] }[] {
  const managed = listManaged(answers)
  return splitList(answers.management)
    .filter((name): name is ManagementName => Object.hasOwn(managementTools, name))
    .filter((name) => managed.every(({ tool }) => tool !== name))
    .map((tool) => ({
      tool,
      systems: managed.filter(({ system }) => Object.hasOwn(managementTools[tool].exports, system)),
    }))
}

interface ManagementTool {
  readonly summary: string
  /** Other names by which people call the tool. */
  readonly aliases?: readonly string[]
  /** The formats of `gatepass config export` that it accepts, for each system that it manages. */
  readonly exports: Readonly<Partial<Record<OperatingSystem, readonly ExportName[]>>>
}

/** Lists the tool for each system of the answers: the first that can manage it, else plain files. */
export function listManaged(answers: SetupAnswers): ManagedSystem[] {
  const names = splitList(answers.management).filter((name) => Object.hasOwn(managementTools, name))
  const tools = [...names, 'files'] as ManagementName[] // validated answers are keys of the table
  return operatingSystems
    .filter((system) => splitList(answers.systems).includes(system))
    .map((system) => {
      const formatsOf = (tool: ManagementName) => (managementTools[tool] as ManagementTool).exports[system]
      const tool = tools.find((name) => formatsOf(name) !== undefined) ?? 'files'
      return { system, tool, formats: formatsOf(tool) ?? [] }
    })
}

/** Locates an exported document in the folder. */
export function locateExport(system: OperatingSystem, format: ExportName): string {
  return `${system}/${exportFormats[format].file}`
}
