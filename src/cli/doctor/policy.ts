import type { Part } from '../../client/examination.ts'
import type { Permission } from '../../helper/diagnosis.ts'

/** An action of AWS in a text of ours, such as a hint. */
const action = /\b[a-z][a-z0-9-]{1,40}:[A-Z][A-Za-z]{2,80}\b/g

/** The actions that a text names. */
export function listActions(text: string): string[] {
  return [...new Set(text.match(action))]
}

/** The same part with the policy statements to add, one line each, for the actions that are missing. */
export function addPolicy(part: Part, missing: readonly string[], permissions: readonly Permission[] = []): Part {
  if (missing.length === 0) return part
  const statements = missing.map((name) => toStatement(name, permissions))
  return {
    ...part,
    lines: [
      ...part.lines,
      'to allow it, add to a policy of the identity:',
      ...statements.map((statement) => `  ${JSON.stringify(statement)}`),
    ],
    policy: { Version: '2012-10-17', Statement: statements },
  }
}

/** An action that the helper does not know is allowed on everything, because only AWS knows what it is for. */
function toStatement(name: string, permissions: readonly Permission[]): object {
  const known = permissions.find((permission) => permission.action === name)
  const { resource, condition } = known ?? { resource: '*' }
  return { Effect: 'Allow', Action: name, Resource: resource, ...(condition && { Condition: condition }) }
}
