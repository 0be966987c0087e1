//===- common_uses.cpp - What most sources use of the standard library ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Read by EachSource.cpp before it forks. Nothing is included here: what is
// used is in the precompiled headers. Nothing that may warn is used with types
// of the standard library, since a warning would then be given here only.
//
//===----------------------------------------------------------------------===//

namespace sluice::each_source {

struct Plain {
  int number;
  double value;
};

struct Rich {
  std::string name;
  std::vector<int> numbers;
  std::unique_ptr<Plain> plain;
  std::optional<std::string> text;
  std::map<std::string, int> table;
  std::function<int(int)> call;
  std::shared_ptr<Plain> shared;
};

struct Abstract {
  virtual ~Abstract() = default;
  virtual int call() = 0;
};

struct Concrete : Abstract {
  int call() override { return 1; }
};

inline size_t useContainers(const std::string &text) {
  std::vector<Rich> rows;
  rows.emplace_back();
  rows.push_back(Rich());
  rows.resize(3);
  std::swap(rows[0], rows[1]);
  std::vector<Plain> plains(3);
  plains.push_back({1, 2});
  plains.insert(plains.begin(), Plain{3, 4});
  plains.erase(plains.begin());
  std::fill(plains.begin(), plains.end(), Plain{});
  std::vector<std::pair<int64_t, std::string>> pairs;
  pairs.emplace_back(1, text);
  std::sort(pairs.begin(), pairs.end());
  std::vector<std::unique_ptr<Abstract>> owned;
  owned.push_back(std::make_unique<Concrete>());
  std::map<std::string, std::vector<int>> byName;
  byName[text].push_back(1);
  byName.emplace(text, std::vector<int>{1, 2});
  std::unordered_map<std::string, int> hashed;
  hashed[text] = 1;
  hashed.emplace(text, 2);
  std::unordered_map<const void *, Plain> pointers;
  pointers[&text] = {};
  std::set<std::string> names{text};
  names.insert(text);
  std::set<std::pair<int, int>> twos;
  twos.insert({1, 2});
  std::deque<std::unique_ptr<Abstract>> queue;
  queue.push_back(nullptr);
  queue.pop_front();
  std::vector<std::vector<int>> nested(3, std::vector<int>(4));
  nested.emplace_back(3);
  std::vector<std::string> lines{text, text};
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  auto found = std::find_if(rows.begin(), rows.end(),
                            [](const Rich &row) { return row.name.empty(); });
  return size_t(found - rows.begin()) + hashed.count(text) + lines.size();
}

inline std::string useTexts(const std::string &text, std::ostream &out) {
  std::string sum = text + "x" + std::to_string(3) + 'c';
  sum += text.substr(1);
  std::ostringstream stream;
  stream << sum << 1 << 2.0 << std::string_view("x");
  out << stream.str();
  std::ifstream in(text);
  std::getline(in, sum);
  return sum;
}

inline int useThreads() {
  auto shared = std::make_shared<Plain>();
  std::optional<Rich> row;
  row.emplace();
  row = std::nullopt;
  std::array<int, 3> array{1, 2, 3};
  std::span<const int> span(array);
  std::atomic<int> atomic{0};
  atomic.fetch_add(1, std::memory_order_relaxed);
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  std::condition_variable changed;
  changed.wait(lock, [&] { return atomic != 0; });
  std::thread thread([&] { atomic.store(1); });
  thread.join();
  std::function<int(int)> call = [&](int x) { return x + array[0]; };
  auto now = std::chrono::steady_clock::now();
  auto seconds = std::chrono::duration<double>(now.time_since_epoch());
  return call(1) + std::accumulate(span.begin(), span.end(), 0) +
         int(seconds.count()) + shared->number;
}

} // namespace sluice::each_source

#pragma sluice_each_source
