import type { Part } from '../../client/doctor/examination.ts'
import type { Permission } from '../../helper/diagnosis.ts'

const models = 'arn:aws:bedrock:*::foundation-model/*'

/** What an action is to be allowed on at most, where the helper does not say. AWS's Service Authorization Reference. */
const leastResources: Readonly<Record<string, string>> = {
  'bedrock:InvokeModel': models,
  'bedrock:InvokeModelWithResponseStream': models,
}

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

function toStatement(name: string, permissions: readonly Permission[]): object {
  const { resource, condition } = permissions.find((permission) => permission.action === name) ?? {
    resource: leastResources[name] ?? '*',
  }
  return { Effect: 'Allow', Action: name, Resource: resource, ...(condition && { Condition: condition }) }
}
