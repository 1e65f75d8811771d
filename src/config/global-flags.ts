import type { OutputFormat } from '../output/output.ts';

/** The global options, as Commander parses them. */
export interface GlobalFlags {
  profile?: string;
  baseUrl?: string;
  sandbox?: boolean;
  fault?: string;
  variant?: string;
  keyFile?: string;
  output?: OutputFormat;
  json?: boolean;
  jq?: string;
  rawOutput?: boolean;
  rawCsv?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  color?: boolean;
  timeout?: string;
  retries?: string;
  caCert?: string;
  allowHttp?: boolean;
}
