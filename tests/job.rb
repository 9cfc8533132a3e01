# job.rb FILE REPOSITORY BASE CHANGE FOLDER: run the job of FILE in FOLDER, as
# GitHub (workflow.yml) or GitLab (gitlab.yml) would for a change from BASE to
# CHANGE
#
# The steps run as they stand in FILE, with what the host gives them.  Those
# that install tracepipe are left out, unless RELEASE says which wheel to
# install.  Prints "attached FILE" for each file that is there and that the job
# attaches.  Exits as the first step that fails; 9 when something is not as it
# should be, such as a step with something of the host among its words.
require 'fileutils'
require 'yaml'

FILE, REPOSITORY, BASE, CHANGE, FOLDER = ARGV
RELEASE = ENV['RELEASE']

def wrong(text)
  warn "job.rb: #{FILE}: #{text}"
  exit 9
end

# As a runner that keeps its folders does.
def checkout(path, commit)
  if File.exist?("#{path}/.git")
    system('git', '-C', path, 'clean', '-q', '-ffdx') or wrong 'git clean'
    system('git', '-C', path, 'fetch', '-q') or wrong 'git fetch'
  else
    system('git', 'clone', '-q', REPOSITORY, path) or wrong 'git clone'
  end
  system('git', '-C', path, 'checkout', '-q', '--force', '--detach',
         commit) or wrong 'git checkout'
end

def attach(paths)
  paths.each do |path|
    puts "attached #{path}" if File.exist?(path)
  end
end

# What names from outside are called; SHAs are none.
FOREIGN = /\$\{\{|\$\{?CI_\w*(TITLE|MESSAGE|DESCRIPTION|REF|BRANCH|TAG|AUTHOR|LABELS)/

# run ENVIRONMENT, SHELL, TEXT: its status
def run(environment, shell, text)
  text =~ FOREIGN and wrong "a name from outside in: #{text}"
  File.write('../step', text)
  system(environment, *shell, '../step')
  $?.exitstatus
end

# The context of an expression of GitHub.
CONTEXT = {
  'github.event.pull_request.base.sha' => BASE,
  'github.event.pull_request.head.sha' => CHANGE,
  'vars.TRACEPIPE_RELEASE' => RELEASE
}.freeze

def filled(text)
  text.gsub(/\$\{\{ (.*?) \}\}/) do
    CONTEXT.fetch($1) { wrong "unknown: #{$1}" }
  end
end

def github(workflow)
  # YAML 1.1 reads "on" as true
  wrong 'not for pull requests' unless workflow[true] == 'pull_request'
  wrong 'another shell' unless workflow.dig('defaults', 'run', 'shell') == 'bash'
  shell = %w[bash --noprofile --norc -eo pipefail]
  environment = { 'GITHUB_ACTIONS' => 'true',
                  'GITHUB_STEP_SUMMARY' => File.expand_path('../summary'),
                  'GITHUB_PATH' => File.expand_path('../path') }
  File.write('../path', '')
  status = 0
  workflow['jobs'].fetch('gate')['steps'].each do |step|
    with = step['with'] || {}
    next unless status.zero? || step['if'] == 'always()'
    case step['uses']
    when nil
      next if step['name'] == 'install tracepipe' && !RELEASE
      own = (step['env'] || {}).transform_values { |value| filled(value) }
      paths = File.readlines('../path', chomp: true).reverse
      own['PATH'] = (paths + [ENV['PATH']]).join(':')
      status = run(environment.merge(own), shell, step['run'])
    when /^actions\/checkout@/
      checkout(with['path'], with['ref'] ? filled(with['ref']) : CHANGE)
    when /^actions\/upload-artifact@/
      attach(with['path'].split)
    else
      wrong "unknown: #{step['uses']}"
    end
  end
  status
end

def gitlab(jobs)
  job = jobs.fetch('performance')
  wrong 'not for merge requests' unless job['rules'] ==
    [{ 'if' => '$CI_PIPELINE_SOURCE == "merge_request_event"' }]
  environment = { 'GITLAB_CI' => 'true', 'CI_COMMIT_SHA' => CHANGE,
                  'CI_MERGE_REQUEST_DIFF_BASE_SHA' => BASE,
                  'TRACEPIPE_RELEASE' => RELEASE }
  environment.update(job['variables'] || {})
  checkout('.', CHANGE)
  lines = job['script']
  lines = job['before_script'] + lines if RELEASE
  status = run(environment, %w[sh -eu], lines.join("\n"))
  artifacts = job['artifacts']
  if status.zero? || artifacts['when'] == 'always'
    attach(artifacts['paths'] + [artifacts['reports']['junit']])
  end
  status
end

FileUtils.mkdir_p("#{FOLDER}/job")
document = YAML.safe_load(File.read(FILE))
Dir.chdir("#{FOLDER}/job")
exit document.key?('jobs') ? github(document) : gitlab(document)
