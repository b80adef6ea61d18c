import { hasDocument } from '../../../contract/client.ts'
import { allowableHeaders } from '../../../contract/headers.ts'
import { limits } from '../../../contract/limits.ts'
import { type OutputFacts, tokenFaults } from '../runs/parse-run-output.ts'
import { cutFirstLine, describeRun, isHealthy, type Run } from '../runs/run.ts'
import { defineRules, fail, pass, type RuleResult, skip, warn } from './rule.ts'

/** Rules about an output that a client can read, and whose values it can send. */
export const outputRules = defineRules({
  'output-size': {
    isFor: hasDocument,
    proves: 'what it prints is not more than a client reads',
    needs: ['exit-status'],
    scenarios: ['background'],
    validate: ([run]) => {
      const bytes = run?.output.bytes ?? 0
      const most = `${limits.stdoutBytes} bytes`
      if (run?.ended.how === 'flooded' || bytes > limits.stdoutBytes)
        return fail(`stdout holds more than ${most}`, 'print the token and nothing else')
      return pass(`${bytes} bytes`)
    },
  },
  'byte-order-mark': {
    isFor: hasDocument,
    proves: 'its output is UTF-8 without a byte order mark',
    needs: ['output-size'],
    scenarios: ['background'],
    validate: ([run]) => {
      const hint = 'write UTF-8 without a byte order mark; in Windows PowerShell 5 do not redirect, use [Console]::Out'
      if (isRefused(run, 'utf-16')) return fail('stdout begins with a UTF-16 byte order mark', hint)
      if (has(run, 'byte-order-mark')) return warn('stdout begins with a UTF-8 byte order mark', hint)
      return pass('no byte order mark')
    },
  },
  'output-alone': {
    isFor: hasDocument,
    proves: 'nothing stands before or after the output',
    needs: ['byte-order-mark'],
    scenarios: ['background'],
    validate: ([run]) => {
      const hint =
        'print nothing else on stdout: what is for people belongs on stderr, and only when something is wrong'
      if (isRefused(run, 'text-after-json')) return fail('text stands after the JSON object', hint)
      if (!run?.output.ok || run.output.fault) return skip('there is no token beside which something could stand')
      if (has(run, 'text-before-json')) return warn('text stands before the JSON object', hint)
      return pass('stdout holds the output alone')
    },
  },
  'output-shape': {
    isFor: hasDocument,
    proves: 'it prints one bare token, or one JSON object with `token`',
    needs: ['output-alone'],
    scenarios: ['background'],
    validate: ([run]) => validateShape(run?.output),
  },
  'repeated-key': {
    isFor: hasDocument,
    proves: 'no key stands in its JSON object more than once',
    needs: ['output-shape'],
    scenarios: ['background'],
    validate: (_, { allRuns }) => {
      const keys = allRuns.filter(isHealthy).flatMap(({ output }) => output.repeatedKeys ?? [])
      const hint = 'write the object with a JSON encoder, such as jq, with each key once'
      if (keys.includes('token'))
        return fail('"token" stands in the object more than once, and readers differ in which one they take', hint)
      const [first] = keys
      if (first !== undefined) return warn(`"${first}" stands in the object more than once`, hint)
      return pass('each key once')
    },
  },
  headers: {
    isFor: hasDocument,
    proves: 'a client can send the headers that it prints',
    needs: ['output-shape'],
    scenarios: ['background'],
    validate: ([run]) => {
      const hint = 'print "headers" as an object of names and strings, without those that the client sends itself'
      const output = run?.output
      if (output && !output.ok && isAboutHeaders(output)) return fail(output.message, hint)
      if (!output?.ok) return pass('there are none')
      const { droppedHeaders: [dropped] = [] } = output
      if (dropped !== undefined)
        return warn(`the value of the header ${dropped} is not a string, so a client drops it`, hint)
      const unusual = allowableHeaders.find((name) => has(run, name))
      if (unusual) return warn(`the header ${unusual} is one that not every client sends`, unusualHint)
      return pass(output.headers.length > 0 ? output.headers.join(', ') : 'there are none')
    },
  },
  'quiet-stderr': {
    isFor: ({ stderrOnSuccess }) => stderrOnSuccess !== 'dropped',
    proves: 'a run that succeeds writes nothing to stderr, not even in the connection test',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns, client }) => {
      const healthy = allRuns.filter(isHealthy)
      const loud = healthy.filter(({ stderrBytes }) => stderrBytes > 0)
      const [first] = loud
      if (!first) return pass(`silent in ${healthy.length} runs`)
      return warn(
        `${loud.length} of ${healthy.length} good runs wrote to stderr, first ${first.title}: ${cutFirstLine(first.stderr)}`,
        client.stderrOnSuccess === 'shown'
          ? `keep stderr empty on success: ${client.title} shows it to the person each time`
          : 'keep stderr empty on success: the connection test shows a warning otherwise',
      )
    },
  },
})

const unusualHint =
  'print this header only if the gateway reads it; then try your client, because the gateway refuses a request without the header'

function validateShape(output: OutputFacts | undefined): RuleResult {
  if (!output) return fail(describeRun(undefined), shapeHint)
  if (!output.ok) return isAboutHeaders(output) ? pass('one JSON object with a token') : fail(output.message, shapeHint)
  if (output.fault) return fail(tokenFaults[output.fault].seen, tokenFaults[output.fault].hint)
  return pass(`a token of ${output.token.bytes} bytes`)
}

const shapeHint = 'print {"token": "…"} on one line, and the token itself in it'

/** Returns whether the rule `headers` reports the fault. */
function isAboutHeaders({ reason }: OutputFacts & { ok: false }): boolean {
  return reason === 'invalid-headers' || reason === 'refused-header'
}

function isRefused(run: Run | undefined, obstacle: 'utf-16' | 'text-after-json'): boolean {
  return run !== undefined && !run.output.ok && run.output.obstacle === obstacle
}

function has(run: Run | undefined, warning: string): boolean {
  return run?.output.ok === true && run.output.warnings.some((other) => other === warning)
}

/** Rules against showing secrets to anybody but the client. */
export const secretRules = defineRules({
  'secret-in-stderr': {
    proves: 'it writes no part of the token or of a secret header to stderr',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns }) =>
      validateExposures(
        allRuns,
        ['stderr'],
        'print no part of it on stderr, not even its first characters: clients log stderr',
      ),
  },
  'secret-in-children': {
    proves: 'no secret stands in the arguments or the environment of its child processes',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { allRuns, platform }) => {
      if (platform === 'win32') return skip('processes are watched on Linux and macOS only')
      if (platform === 'linux' && allRuns.every(({ nesting }) => nesting === 0))
        return skip('it ended before its processes could be seen')
      return validateExposures(
        allRuns,
        ['arguments', 'environment'],
        'pass it to the child on stdin, or do without the child',
      )
    },
  },
  'secret-in-files': {
    proves: 'no secret stands in a file of its own that everybody can read',
    needs: ['headers'],
    scenarios: ['background', 'silent-contexts'],
    validate: (_, { fileSearch: { files, isComplete }, platform }) => {
      if (platform === 'win32') return skip('files are searched on Linux and macOS only')
      const hint = 'create the file with mode 0600, in a directory with mode 0700'
      const [first] = files
      const reachable = files.find(({ isReachable }) => isReachable)
      if (reachable) return fail(`${reachable.what} is in ${reachable.path}`, hint)
      if (first)
        return warn(`${first.what} is in ${first.path}, which only a closed folder above it keeps from others`, hint)
      if (!isComplete) return skip('none was found, but there are more files than are looked at')
      return pass('none under its home, cache and temporary directories')
    },
  },
})

function validateExposures(allRuns: readonly Run[], locations: readonly string[], hint: string): RuleResult {
  for (const { exposures, title } of allRuns) {
    const found = exposures.find(({ where }) => locations.includes(where))
    if (found) return fail(`${found.what} was seen in its ${describeLocation(found.where)} ${title}`, hint)
  }
  return pass(`nothing was seen in ${allRuns.length} runs`)
}

function describeLocation(where: string): string {
  return where === 'stderr' ? where : `children's ${where}`
}
