import { type Mismatch, mismatches, mismatchPrefix } from '../../../src/config/render/mismatches.ts'

/** A value by its text; `wrong` stands in a type that an export does not write, such as a number for a text. */
interface PlantedValue {
  readonly text: string
  readonly type: 'exported' | 'wrong'
}

/** The outcome of a detection script on a machine. */
export interface Machine {
  /** In the machine hive, the managed preferences or the managed file. */
  readonly values: Readonly<Record<string, PlantedValue>>
  /** In the user hive or the preferences of a user. On Linux, where no user has a place, others can write the managed file. */
  readonly isUserOnly: boolean
  readonly hasHelper: boolean
}

/** Creates a machine on which an export is installed as it has to be. */
export function createHealthyMachine(entries: Readonly<Record<string, string>>): Machine {
  const values = Object.entries(entries).map(([name, text]) => [name, { text, type: 'exported' }] as const)
  return { values: Object.fromEntries(values), isUserOnly: false, hasHelper: true }
}

/** The names that the misconfigurations below change; a document has to set all of them but the last. */
export const plantedNames = {
  missing: 'inferenceProvider',
  differs: 'inferenceGatewayBaseUrl',
  wrongType: 'inferenceCredentialHelperTimeoutSec',
  leftOver: 'inferenceGatewayApiKey',
} as const

/** A secret that no printed line may hold: the value that is left over from an earlier document is a key. */
export const plantedSecret = 'sk-of-the-document-before'

/** The six misconfigurations that every detection script tells apart, each planted on a healthy machine. */
export const misconfigurations: Readonly<Record<Mismatch, (healthy: Machine) => Machine>> = {
  missing: ({ values: { [plantedNames.missing]: _, ...values }, ...machine }) => ({ ...machine, values }),
  differs: (machine) =>
    plant(machine, plantedNames.differs, { text: 'https://elsewhere.example.com', type: 'exported' }),
  wrongType: (machine) => plant(machine, plantedNames.wrongType, { text: '300', type: 'wrong' }),
  notEnforced: (machine) => ({ ...machine, isUserOnly: true }),
  leftOver: (machine) => plant(machine, plantedNames.leftOver, { text: plantedSecret, type: 'exported' }),
  helperMissing: (machine) => ({ ...machine, hasHelper: false }),
}

/**
 * Renders the line that a script prints for a misconfiguration of the table.
 * @param subjects What is named where the table does not: the names or the file that is not enforced, the helper's path.
 */
export function renderExpectedLine(
  mismatch: Mismatch,
  subjects: { notEnforced: string; helperMissing: string },
): string {
  const subject = { ...plantedNames, ...subjects }[mismatch]
  return `${mismatchPrefix}${mismatches[mismatch]}: ${subject}`
}

function plant(machine: Machine, name: string, value: PlantedValue): Machine {
  return { ...machine, values: { ...machine.values, [name]: value } }
}
