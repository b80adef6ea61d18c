// Folder: what management systems of Windows, macOS and Linux take: policies, profiles, and scripts that compare a machine with a document.

import type { Field, ValueRule } from '../../field.ts'
import { fields, flatKeys } from '../../fields.ts'
import { toItemName, vendorItem } from '../../policy-names.ts'

/** One policy of the administrative template: one value of the policy key, which is always text (REG_SZ). */
export interface TemplatePolicy {
  /** The name of the policy, its one element and its presentation. */
  readonly name: string
  /** The name of the registry value: the flat key. */
  readonly valueName: string
  readonly element: TemplateElement
  /** The first client release that reads the value. */
  readonly since: string
  /** The fields that have the flat key: one, or one for each kind of credential. */
  readonly rows: readonly Field[]
}

/** Lists every policy, in the order of the field table. The registry has no place for fields without a flat key. */
export function listPolicies(): TemplatePolicy[] {
  return flatKeys.map((valueName) => {
    const rows = fields.filter((field) => field.flat === valueName)
    const { rule, since = '1.2581.0' } = rows[0]! // each flat key comes from a row, or from the object that holds one
    return { name: toItemName(valueName), valueName, element: toElement(rule), since, rows }
  })
}

/** The input of an administrator for one policy: a text, a choice or a number. */
type TemplateElement =
  | { readonly type: 'text'; readonly maxLength: number }
  | { readonly type: 'enum'; readonly choices: readonly string[] }
  | { readonly type: 'decimal'; readonly min: number; readonly max: number }

function toElement(rule: ValueRule): TemplateElement {
  if (rule.type === 'text' && rule.choices) return { type: 'enum', choices: rule.choices }
  if (rule.type === 'boolean') return { type: 'enum', choices: ['true', 'false'] }
  if (rule.type === 'integer') return { type: 'decimal', min: rule.min, max: Math.min(rule.max, largestDecimal) }
  return { type: 'text', maxLength: longestText }
}

/** The largest number of a policy: 32 bits, unsigned. */
const largestDecimal = 0xffff_ffff

/**
 * The longest text of a policy, in characters. The default is 1023 (Microsoft, ADMX `text` element, `maxLength`), which the arguments of a
 * helper may exceed.
 */
const longestText = 32_767

export function isWithinPolicy({ element }: TemplatePolicy, value: string): boolean {
  switch (element.type) {
    case 'text':
      return value.length <= element.maxLength
    case 'enum':
      return element.choices.includes(value)
    case 'decimal':
      return /^\d+$/.test(value) && Number(value) >= element.min && Number(value) <= element.max
  }
}

/** The name of both files without their endings. */
export const templateFile: string = `${vendorItem.toLowerCase()}-desktop`
