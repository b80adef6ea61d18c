import { describeRun, isHealthy, type Run, renderMs } from '../runs/run.ts'
import { defineRules, fail, type Judgement, notApplicable, pass, warn } from './rule.ts'

/** What it does when the world is not kind to it. */
export const harmRules = defineRules({
  'network-dead': {
    proves: 'without a network it prints a good token, or fails with a message and nothing on stdout',
    needs: ['refresh-works'],
    sees: ['network-dead'],
    judge: ([run]) => validateWithoutNetwork(run),
  },
  'network-hanging': {
    proves: 'with a network that says nothing it ends in time, in the same way',
    needs: ['refresh-works'],
    sees: ['network-hanging'],
    judge: ([run]) => validateWithoutNetwork(run),
  },
  'network-proxy': {
    proves: 'with proxy variables set it connects through the proxy',
    needs: ['refresh-works'],
    sees: ['network-dead', 'network-hanging'],
    judge: (runs, { platform }) => {
      if (platform !== 'linux') return notApplicable('connections are looked at on Linux')
      const past = runs.find(({ remotes }) => remotes.length > 0)
      if (past)
        return fail(
          `it connected to ${past.remotes[0]} past the proxy ${past.title}`,
          'honour HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in capitals and small letters, for every request',
        )
      const count = runs.reduce((sum, { proxyConnections }) => sum + proxyConnections, 0)
      return pass(count > 0 ? 'it asked the proxy' : 'it made no connection beyond loopback')
    },
  },
  'parallel-runs': {
    proves: 'ten runs at once all succeed, and so does the next one',
    needs: ['every-context', 'refresh-works'],
    sees: ['parallel'],
    judge: (runs) => {
      const broken = runs.filter((run) => !isHealthy(run))
      const [first] = broken
      if (!first) return pass(`${runs.length} tokens`)
      return fail(
        `${broken.length} of ${runs.length} runs failed; ${describeRun(first)}`,
        'take a lock that nobody deletes, read the stored state again under it, and only then renew and write',
      )
    },
  },
  'parallel-browser': {
    proves: 'ten runs at once open at most one browser',
    needs: ['parallel-runs'],
    sees: ['parallel'],
    judge: (runs, { platform }) => {
      if (platform === 'win32') return notApplicable('decoys stand on the PATH of Linux and macOS')
      const calls = runs.flatMap(({ browsers }) => browsers)
      if (calls.length <= 1) return pass(calls.length === 0 ? 'none was called' : 'one was called')
      return fail(
        `a browser was called ${calls.length} times`,
        'sign in under the lock: whoever waited finds the new session',
      )
    },
  },
  'after-kill': {
    proves: 'after a SIGKILL in the middle the next run works',
    needs: ['parallel-runs'],
    sees: ['after-kill'],
    judge: (runs) => {
      const killed = runs.filter(({ purpose, ended }) => purpose === 'killed' && ended.how === 'timeout')
      const broken = runs.find((run) => run.purpose === 'seen' && !isHealthy(run))
      if (broken)
        return fail(
          describeRun(broken),
          'write beside the target and rename; use locks that the system drops with the process, not files',
        )
      if (killed.length === 0) return notApplicable('it ended before it could be killed')
      return pass(`killed at ${killed.map(({ limitMs }) => renderMs(limitMs)).join(', ')}`)
    },
  },
  'secret-in-stderr': {
    proves: 'it writes no part of the token or of a secret header to stderr',
    needs: ['headers'],
    sees: ['background', 'silent-contexts'],
    judge: (_, { all }) =>
      validateExposures(all, ['stderr'], 'a client logs stderr: leave out even the first characters'),
  },
  'secret-in-children': {
    proves: 'no secret stands in the arguments or the environment of its child processes',
    needs: ['headers'],
    sees: ['background', 'silent-contexts'],
    judge: (_, { all, platform }) => {
      if (platform === 'win32') return notApplicable('processes are looked at on Linux and macOS')
      return validateExposures(
        all,
        ['arguments', 'environment'],
        'hand it to a child on its stdin, or do without the child',
      )
    },
  },
  'secret-in-files': {
    proves: 'no secret stands in a file of its own that everybody can read',
    needs: ['headers'],
    sees: ['background', 'silent-contexts'],
    judge: (_, { exposedFiles, platform }) => {
      if (platform === 'win32') return notApplicable('files are looked at on Linux and macOS')
      const [first] = exposedFiles
      if (!first) return pass('none under its home, cache and temporary directories')
      return fail(`${first.what} is in ${first.path}`, 'create the file with mode 0600, in a directory with mode 0700')
    },
  },
})

function validateWithoutNetwork(run: Run | undefined): Judgement {
  if (!run || run.ended.how === 'timeout')
    return fail(
      run ? describeRun(run) : 'no run was made',
      'bound every request, and fail with a message before the client kills it',
    )
  if (isHealthy(run)) return pass(describeRun(run))
  if (run.ended.how !== 'exited' || run.ended.status === 0)
    return fail(describeRun(run), 'on failure end with an exit status other than 0, by yourself')
  if (run.output.bytes > 0)
    return fail(
      `it failed with ${run.output.bytes} bytes on stdout ${run.title}`,
      'on failure print nothing on stdout: messages belong on stderr',
    )
  if (!/[a-z]{3}/i.test(run.stderr))
    return fail(describeRun(run), 'say on stderr what could not be reached and what to do')
  if (/^Traceback |^\s+at .+:\d+:\d+\)?$/m.test(run.stderr))
    return warn(
      `it failed with a stack trace ${run.title}`,
      'say in a sentence what could not be reached and what to do',
    )
  return pass(describeRun(run))
}

function validateExposures(all: readonly Run[], places: readonly string[], hint: string): Judgement {
  for (const { exposures, title } of all) {
    const found = exposures.find(({ where }) => places.includes(where))
    if (found) return fail(`${found.what} was seen in its ${nameOf(found.where)} ${title}`, hint)
  }
  return pass(`nothing was seen in ${all.length} runs`)
}

function nameOf(where: string): string {
  return where === 'stderr' ? where : `children's ${where}`
}
