import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** npm without the settings of the user who runs the tests, but with the packages that npm has in its cache. */
export function npmEnvironment(home: string): NodeJS.ProcessEnv {
  const cache = execFileSync('npm', ['config', 'get', 'cache'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  mkdirSync(join(home, '.npm'), { recursive: true });
  symlinkSync(join(cache.trim(), '_cacache'), join(home, '.npm', '_cacache'));
  return {
    PATH: process.env.PATH ?? '',
    HOME: home,
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
}
