# formula.rb FORMULA ARCHIVE FOLDER: install ARCHIVE below FOLDER as FORMULA
# says, and test it, in place of Homebrew
#
# Knows the words that our formula uses of Homebrew's; any other is an error.
# What is built in the folder BUILT is not compiled again.  Prints what the
# formula depends on, a name a line.
require 'digest'
require 'fileutils'
require 'pathname'

FORMULA, ARCHIVE, FOLDER = ARGV.map { |path| File.expand_path(path) }

module OS
  def self.mac?
    RUBY_PLATFORM.include?('darwin')
  end
end

class Formula
  class << self
    attr_reader :said, :needs, :own_test

    def inherited(formula)
      super
      formula.instance_eval do
        @said = {}
        @needs = []
      end
    end

    %i[desc homepage url version sha256 license].each do |word|
      define_method(word) { |text| @said[word] = text }
    end

    def depends_on(name)
      @needs << name
    end
    alias uses_from_macos depends_on

    def on_linux
      yield unless OS.mac?
    end

    def test(&block)
      @own_test = block
    end
  end

  include FileUtils

  def prefix
    Pathname("#{FOLDER}/prefix")
  end

  def bin
    prefix / 'bin'
  end

  def libexec
    prefix / 'libexec'
  end

  def pkgshare
    prefix / 'share/tracepipe'
  end

  def doc
    prefix / 'share/doc/tracepipe'
  end

  def system(*words)
    Kernel.system(*words.map(&:to_s), out: :err) or
      abort "formula.rb: failed: #{words.join(' ')}"
  end

  def shell_output(command)
    text = `#{command}`
    $?.success? or abort "formula.rb: failed: #{command}"
    text
  end

  def assert_equal(expected, is)
    expected == is or abort 'formula.rb: not as expected'
  end
end

load FORMULA
said = Tracepipe.said
File.basename(said[:url]) == File.basename(ARCHIVE) or
  abort "formula.rb: the url is #{said[:url]}"
Digest::SHA256.file(ARCHIVE).hexdigest == said[:sha256] or
  abort 'formula.rb: another sha256'
puts Tracepipe.needs

%w[source test].each { |name| FileUtils.mkdir_p("#{FOLDER}/#{name}") }
Kernel.system('tar', '-xzf', ARCHIVE, '-C', "#{FOLDER}/source",
              '--strip-components=1') or abort 'formula.rb: tar failed'
if ENV['BUILT']
  Kernel.system('cp', '-a', ENV['BUILT'], "#{FOLDER}/source/build") or
    abort 'formula.rb: cp failed'
end
formula = Tracepipe.new
Dir.chdir("#{FOLDER}/source") { formula.install }
FileUtils.rm_rf("#{FOLDER}/source")
Dir.chdir("#{FOLDER}/test") { formula.instance_eval(&Tracepipe.own_test) }
