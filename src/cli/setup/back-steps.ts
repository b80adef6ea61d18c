import { win32 } from 'node:path'
import { quoteForShell } from '../../runtime/text/quote.ts'
import { installDirectories, suiteName } from '../../suite/installed-programs.ts'
import { vendor } from '../../vendor.ts'
import { version } from '../../version.ts'
import { type ExportName, exportFormats } from '../config/export-formats.ts'
import type { FolderFile } from './folder.ts'
import { locateExport, type ManagedSystem, type ManagementName } from './management.ts'
import { listPackaging, msi, type StepsByTool } from './management-steps.ts'

/**
 * The steps that remove a rollout from a ring: first the tool that would set the document again, then the document, and last the helper
 * that the document names.
 */
export const backSteps: StepsByTool = {
  files: {
    linux: (facts) => [
      `Remove the document: \`sudo rm ${quoteForShell([vendor.linuxManagedFile])}\`.`,
      ...listPackaging(facts, `Remove the package: \`apt-get remove ${suiteName}\`, or \`dnf remove ${suiteName}\`.`),
    ],
    macos: (facts) => [
      'Take the profile away with the device management.',
      ...listPackaging(facts, `Remove the package: as root, run \`${macosUninstall}\`.`),
    ],
    windows: (facts) => [
      `Take the document away: \`reg import ${win32.normalize(undoPaths.reg)} /reg:64\`.`,
      ...listPackaging(facts, `Remove the package: \`msiexec /x ${msi} /qn\`.`),
    ],
  },
  jamf: {
    macos: (facts) => [
      ...listPackaging(facts, 'Take the group out of the scope of the policy that installs the package.'),
      'Take it out of the scope of the configuration profile: Macs then remove the profile.',
      ...listPackaging(
        facts,
        `When it is gone there: a policy with *Files and Processes*, Execute Command: \`${macosUninstall}\`.`,
      ),
    ],
  },
  intune: {
    macos: (facts) => [
      ...listPackaging(facts, 'Take the group out of the assignments of the app and of the script.'),
      'Take it out of the assignment of the configuration profile: Macs then remove the profile.',
      ...listPackaging(facts, `When it is gone there: a platform script with the line \`${macosUninstall}\`.`),
    ],
    windows: (facts) => [
      'Take the group out of the assignment of the remediation, which would set the document again.',
      `Take it out of the assignment of the profile of \`${locateExport('windows', 'oma-uri')}\`: Windows then takes its values away.`,
      `When both have arrived: Devices, Scripts and remediations, Platform scripts, Add: \`${undoPaths.intune}\`, *logged-on credentials*: No, *64 bit*: Yes. What the remediation wrote stays until then.`,
      ...listPackaging(
        facts,
        'When that has run: assign the app of each processor to the group as *Uninstall*, and no longer as required.',
      ),
    ],
  },
  sccm: {
    windows: (facts) => [
      'Delete the deployment of the baseline to the collection, because it would set the document again.',
      `When that has arrived: run \`${undoPaths.intune}\` on the collection, with Software Library, Scripts.`,
      ...listPackaging(
        facts,
        'When that has run: delete the deployment of the application, and deploy it with the action *Uninstall*.',
      ),
    ],
  },
  'group-policy': {
    windows: (facts) => [
      'Set the policies to *Not Configured*: Windows takes their values away.',
      ...(facts.hasPlacement ? ['Remove the startup script, which would place the files again.'] : []),
      ...listPackaging(
        facts,
        'When that has arrived: Software installation, All Tasks, Remove, *Immediately uninstall*. It comes with a restart.',
      ),
    ],
  },
  ansible: {
    linux: () => [
      'Stop running the playbook.',
      `Remove the document: \`${renderAnsible('file', `path=${vendor.linuxManagedFile} state=absent`)}\`.`,
      `Remove the package: \`${renderAnsible('package', `name=${suiteName} state=absent`)}\`.`,
    ],
    macos: (facts) => [
      'Stop running the playbook.',
      'Take the profile away with the device management.',
      ...listPackaging(facts, `Remove the package: \`${renderAnsible('command', macosUninstall)}\`.`),
    ],
  },
}

/** The file that removes the document, by the format that has it. */
const undoPaths = { reg: 'windows/undo.reg', intune: 'windows/undo.ps1' } as const

const macosUninstall = `${installDirectories.posix}/versions/${suiteName}-${version}/install.sh --uninstall`

function renderAnsible(name: string, args: string): string {
  return `ansible all --inventory HOSTS --limit ring1 --become --module-name ansible.builtin.${name} --args '${args}'`
}

/** Plans the file that removes the document if the management tool does not: it changes single values, and so can remove them. */
export function planUndo({ tool, formats }: ManagedSystem): FolderFile[] {
  const format = findUndo(tool, formats)
  if (format === undefined) return []
  const content = exportFormats[format].undo([])
  const about = 'takes every setting of the document away again; back.md says when'
  return [{ path: undoPaths[format], content, about, isExport: true }]
}

function findUndo(tool: ManagementName, formats: readonly ExportName[]): keyof typeof undoPaths | undefined {
  if (formats.includes('remediation')) return 'intune'
  return tool === 'files' && formats.includes('reg') ? 'reg' : undefined
}
